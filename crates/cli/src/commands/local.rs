//! Verbs of the command line alone: they are about this machine, or about the command line itself. No other door offers them.

use kenning::Result;
use kenning::core::{Code, Refusal};
use kenning::verb::{Call, Group, Nature, Verb};
#[cfg(test)]
use kenning::verb::{Row, row};

pub(crate) use super::eval::EvalRetrieval;
pub(crate) use super::knowledge::{KnowledgeAdd, KnowledgeReduce, KnowledgeReflect, KnowledgeReweave};
use crate::args::{
    CompletionArgs, DemoArgs, HelpArgs, HookArgs, KnowledgeArchiveArgs, KnowledgeListArgs,
    KnowledgePromoteArgs, KnowledgeShowArgs, ManArgs, McpArgs, OpenArgs, ServeArgs, SetupArgs,
};

/// Calls a macro with every verb of the command line alone, in the order of help.
#[macro_export]
macro_rules! for_each_local_verb {
    ($each:ident) => {
        $each! {
            Setup,
            Demo,
            EvalRetrieval,
            ParseWorker,
            Mcp,
            Serve,
            Open,
            Hook,
            Completions,
            Man,
            KnowledgeAdd,
            KnowledgeList,
            KnowledgeShow,
            KnowledgePromote,
            KnowledgeVerify,
            KnowledgeReduce,
            KnowledgeReflect,
            KnowledgeReweave,
            KnowledgeArchive,
            Help,
        }
    };
}

#[cfg(test)]
macro_rules! rows {
    ($($verb:ident),* $(,)?) => { &[$(row::<$verb>()),*] };
}

/// Every verb of the command line alone.
#[cfg(test)]
pub(crate) const TABLE: &[Row] = for_each_local_verb!(rows);

/// A verb whose whole work is to talk: it has no answer that another program could be handed.
macro_rules! spoken {
    ($($verb:ident($request:ty), $name:literal $(was $former:literal)?, $group:ident, $about:literal, $example:literal;)*) => {$(
        #[doc = $about]
        pub(crate) struct $verb;

        impl Verb for $verb {
            const NAME: &'static str = $name;
            $(const FORMER: &'static [&'static str] = &[$former];)?
            const ABOUT: &'static str = $about;
            const EXAMPLE: &'static str = $example;
            const GROUP: Group = Group::$group;
            const NATURE: Nature = Nature::WRITES.at_terminal();
            const EVERYDAY: bool = matches!($name.as_bytes(), b"setup");
            type Request = $request;
            type Answer = ();

            fn run(_: &mut Call, _: $request) -> Result<()> {
                Err(Refusal::new(Code::NotAllowed, concat!("`ken ", $name, "` is available only on the command line")).into())
            }
        }
    )*};
}

spoken! {
    Setup(SetupArgs), "setup", Begin, "Connect an agent host: MCP server, hooks and instructions", "ken setup claude-code";
    ParseWorker(()), "parse-worker", ForPrograms, "Parse code for another `ken` process", "ken parse-worker";
    Mcp(McpArgs), "mcp", ForAgents, "Run the MCP server over standard input and output", "ken mcp --profile full";
    Serve(ServeArgs), "serve", ForAgents, "Serve the browser, the HTTP API and MCP on this machine", "ken serve --listen 127.0.0.1:4100";
    Open(OpenArgs), "open", ForAgents, "Open the knowledge browser", "ken open /queue";
    Hook(HookArgs), "hook", ForAgents, "Handle a hook of an agent host: JSON on stdin, answer on stdout", "ken hook session-start --host claude-code";
    Demo(DemoArgs), "demo", Begin, "Run a demo in a scratch repository", "ken demo --keep";
    Completions(CompletionArgs), "completions", ForPrograms, "Print shell completions: commands, options, entries and tags", "ken completions bash";
    Man(ManArgs), "completions man" was "man", ForPrograms, "Write man pages to a folder", "ken completions man ~/.local/share/man/man1";
    KnowledgeList(KnowledgeListArgs), "knowledge list", ForPrograms, "List entries", "ken knowledge list --type procedural --norm-type commit";
    KnowledgeShow(KnowledgeShowArgs), "knowledge show", ForPrograms, "Show an entry", "ken knowledge show L-e71631";
    KnowledgePromote(KnowledgePromoteArgs), "knowledge promote", ForPrograms, "Promote entries to another memory", "ken knowledge promote --from semantic --to procedural";
    KnowledgeVerify(()), "knowledge verify", ForPrograms, "Check the integrity of the ledger", "ken knowledge verify";
    KnowledgeArchive(KnowledgeArchiveArgs), "knowledge archive", ForPrograms, "Archive entries unchanged for some days", "ken knowledge archive --older-than 90";
    Help(HelpArgs), "help", ForPrograms, "Show help for a command or section; `ken help --all` lists every command", "ken help all";
}

#[cfg(feature = "postgres")]
spoken! {
    AdminMigrate(crate::args::AdminMigrateArgs), "admin migrate", ForAgents, "Bring the tables of a PostgreSQL database to this version", "ken admin migrate --dry-run";
    AdminAudit(crate::args::AdminAuditArgs), "admin audit", ForAgents, "Print who did what through the servers of a workspace", "ken admin audit team --since 2026-01-01 --json";
    AdminWorkspace(crate::args::AdminWorkspaceArgs), "admin workspace", ForAgents, "Create workspaces in a PostgreSQL database", "ken admin workspace create team --from .";
}

#[cfg(test)]
mod tests {
    use super::*;
    use kenning::verb::Doors;

    #[test]
    fn local_verbs_are_offered_in_a_terminal_alone() {
        for row in TABLE {
            assert_eq!(row.nature.doors, Doors::Terminal, "{}", row.name);
            assert!(kenning::table::find(row.name).is_none(), "{} is in the library as well", row.name);
        }
    }
}
