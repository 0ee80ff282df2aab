//! `diff`: the knowledge that a change adds, changes and takes away.

use ken_engine::Result;

use crate::request::Request;
use crate::verb::{Call, Group, Nature, Verb, read_word};
use crate::{Diff as Answer, Reach};

/// Show which entries a change adds, changes or removes.
pub struct Diff;

/// How a diff can be written.
const FORMATS: &[&str] = &["text", "json", "markdown"];

/// What `diff` takes.
#[derive(Clone, Debug, Request)]
pub struct DiffRequest {
    /// Range: BASE..HEAD, BASE...HEAD, or BASE to compare with the working tree
    #[field(default = "HEAD")]
    pub range: String,
    /// Output format: text, json or markdown
    #[field(long, default = "text", words = FORMATS)]
    pub format: String,
    /// Maximum number of entries of each kind; 0 lists all
    #[field(long, short = 'n', value_name = "N", default = 0)]
    pub limit: usize,
}

/// How a diff is written. JSON is the answer itself.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DiffFormat {
    /// For a terminal.
    Text,
    /// For programs.
    Json,
    /// For the comment of a pull request.
    Markdown,
}

impl DiffRequest {
    /// The format that is asked for.
    pub fn format(&self) -> Result<DiffFormat> {
        read_word("format", "format", &self.format, FORMATS, |word| match word {
            "text" => Some(DiffFormat::Text),
            "json" => Some(DiffFormat::Json),
            "markdown" => Some(DiffFormat::Markdown),
            _ => None,
        })
    }
}

impl Verb for Diff {
    const NAME: &'static str = "diff";
    const ABOUT: &'static str = "Show which entries a change adds, changes or removes";
    const EXAMPLE: &'static str = "ken diff main..HEAD --format markdown";
    const GROUP: Group = Group::Read;
    const NATURE: Nature = Nature::READS;
    const EVERYDAY: bool = true;
    type Request = DiffRequest;
    type Answer = Answer;

    fn run(call: &mut Call, request: DiffRequest) -> Result<Answer> {
        request.format()?;
        let Reach { ledger, site, caller, .. } = call.reach()?;
        crate::diff::diff_within(
            ledger,
            &site.layout,
            caller,
            &request.range,
            Some(request.limit).filter(|limit| *limit > 0),
        )
    }
}
