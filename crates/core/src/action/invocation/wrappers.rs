//! Programs that start the one that follows them, and the shells.

use super::Machine;

pub(super) const SHELLS: &[&str] = &["sh", "bash", "zsh", "dash", "ksh", "ash", "fish"];

/// Programs that start the one that follows them.
pub(super) struct Wrapper {
    pub(super) name: &'static str,
    /// Its options with values.
    pub(super) valued: &'static [&'static str],
    /// Operands of its own before the program.
    pub(super) operands: usize,
    /// Words that have to stand after its name: `poetry run`.
    pub(super) after: &'static [&'static str],
    pub(super) machine: Machine,
}

const fn wrapper(name: &'static str, valued: &'static [&'static str], operands: usize) -> Wrapper {
    Wrapper { name, valued, operands, after: &[], machine: Machine::Here }
}

const fn runner(
    name: &'static str,
    after: &'static [&'static str],
    valued: &'static [&'static str],
    operands: usize,
) -> Wrapper {
    Wrapper { name, valued, operands, after, machine: Machine::Here }
}

const fn elsewhere(
    name: &'static str,
    after: &'static [&'static str],
    valued: &'static [&'static str],
    operands: usize,
) -> Wrapper {
    Wrapper { name, valued, operands, after, machine: Machine::Elsewhere }
}

const CONTAINER: &[&str] = &[
    "-u",
    "--user",
    "-e",
    "--env",
    "-w",
    "--workdir",
    "--env-file",
    "--index",
    "-v",
    "--volume",
    "--name",
    "--network",
    "-p",
    "--publish",
    "--entrypoint",
    "--mount",
    "--platform",
    "-f",
    "--file",
    "--project-name",
    "--profile",
    "--memory",
    "-m",
    "--cpus",
    "-h",
    "--hostname",
];

pub(super) const WRAPPERS: &[Wrapper] = &[
    wrapper(
        "sudo",
        &["-u", "-g", "-h", "-p", "-C", "-T", "-U", "-D", "-R", "-r", "-t", "--user", "--group"],
        0,
    ),
    wrapper("doas", &["-u", "-C"], 0),
    wrapper("env", &["-u", "--unset", "-C", "--chdir"], 0),
    wrapper("time", &["-f", "-o", "--format", "--output"], 0),
    wrapper("nice", &["-n", "--adjustment"], 0),
    wrapper("ionice", &["-c", "-n", "-p", "--class", "--classdata"], 0),
    wrapper("chrt", &["-p"], 1),
    wrapper("taskset", &["-p"], 1),
    wrapper("nohup", &[], 0),
    wrapper("setsid", &[], 0),
    wrapper("stdbuf", &["-i", "-o", "-e"], 0),
    wrapper("timeout", &["-k", "-s", "--kill-after", "--signal"], 1),
    wrapper("gtimeout", &["-k", "-s"], 1),
    wrapper("builtin", &[], 0),
    wrapper("busybox", &[], 0),
    wrapper("toybox", &[], 0),
    wrapper("exec", &["-a"], 0),
    wrapper("noglob", &[], 0),
    wrapper("unbuffer", &[], 0),
    wrapper("chronic", &[], 0),
    wrapper("caffeinate", &["-t", "-w"], 0),
    wrapper("strace", &["-o", "-e", "-p", "-s", "-E", "-u"], 0),
    wrapper("ltrace", &["-o", "-e", "-p", "-s"], 0),
    wrapper("faketime", &["-f"], 1),
    wrapper("flock", &["-w", "--timeout", "-E"], 1),
    wrapper("npx", &["-p", "--package"], 0),
    wrapper("bunx", &[], 0),
    wrapper("uvx", &["--from", "--with", "-p", "--python"], 0),
    wrapper("dotenv", &["-f", "-e"], 0),
    runner("npm", &["exec"], &["-w", "--workspace", "-p", "--package", "--prefix"], 0),
    runner("npm", &["x"], &["-w", "--workspace", "-p", "--package", "--prefix"], 0),
    runner("pnpm", &["exec"], &[], 0),
    runner("pnpm", &["dlx"], &["--package"], 0),
    runner("yarn", &["exec"], &[], 0),
    runner("yarn", &["dlx"], &["-p", "--package"], 0),
    runner("poetry", &["run"], &[], 0),
    runner("pipenv", &["run"], &[], 0),
    runner(
        "uv",
        &["run"],
        &[
            "--with",
            "-p",
            "--python",
            "--project",
            "--directory",
            "--package",
            "--group",
            "--extra",
            "--env-file",
        ],
        0,
    ),
    runner("bundle", &["exec"], &[], 0),
    runner("direnv", &["exec"], &[], 1),
    runner("doppler", &["run"], &["-p", "--project", "-c", "--config"], 0),
    runner("op", &["run"], &["--env-file"], 0),
    runner("aws-vault", &["exec"], &["-d"], 1),
    runner("mise", &["exec"], &[], 0),
    runner("git", &["bisect", "run"], &[], 0),
    elsewhere("docker", &["exec"], CONTAINER, 1),
    elsewhere("docker", &["run"], CONTAINER, 1),
    elsewhere("docker", &["compose", "exec"], CONTAINER, 1),
    elsewhere("docker", &["compose", "run"], CONTAINER, 1),
    elsewhere("docker-compose", &["exec"], CONTAINER, 1),
    elsewhere("docker-compose", &["run"], CONTAINER, 1),
    elsewhere("podman", &["exec"], CONTAINER, 1),
    elsewhere("podman", &["run"], CONTAINER, 1),
];
