//! One reader of shell command lines, for norms, hooks, session reports and the guard.
//!
//! [`read`] parses a line into a tree of commands, words and redirections ([`Script`]). [`commands`] lists what a line runs, with wrappers
//! taken off and `sh -c` opened. [`Arguments`] takes the words of one program apart, [`Wrapper`] knows programs that start others, and
//! [`quoting`] splits commands that stand in other text. Nothing is expanded or run. Text in, values out: no files, clock, dice or
//! environment, and nothing of ours is used here.

mod arguments;
mod commands;
mod limits;
mod parser;
pub mod quoting;
mod script;
mod wrappers;

pub use arguments::{Arguments, DELETED_REFSPEC, FORCED_REFSPEC, Operand, Opt, Standing, program_name};
pub use commands::{Command, commands, handed_to_a_shell, quoted};
pub use parser::read;
pub use script::{Assignment, Node, Piece, Redirect, Script, Simple, Step, Then, Word};
pub use wrappers::{Machine, SHELLS, ScriptSource, Wrapper, XARGS_VALUED, after_options, script_source};
