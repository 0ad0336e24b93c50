//! `mainspring completion`: what a shell needs to complete commands.

use std::process::ExitCode;

use clap::{Args, CommandFactory, ValueEnum};

#[derive(Args)]
#[command(after_help = "Examples:\n  \
    mainspring completion bash > /etc/bash_completion.d/mainspring\n  \
    mainspring completion zsh > \"${fpath[1]}/_mainspring\"\n  \
    mainspring completion fish > ~/.config/fish/completions/mainspring.fish")]
pub(crate) struct Completion {
    shell: Shell,
}

#[derive(Clone, Copy, ValueEnum)]
enum Shell {
    Bash,
    Zsh,
    Fish,
}

impl Completion {
    pub(crate) fn run<Cli: CommandFactory>(&self) -> ExitCode {
        let shell = match self.shell {
            Shell::Bash => clap_complete::Shell::Bash,
            Shell::Zsh => clap_complete::Shell::Zsh,
            Shell::Fish => clap_complete::Shell::Fish,
        };
        let mut script = Vec::new();
        clap_complete::generate(shell, &mut Cli::command(), "mainspring", &mut script);
        super::output::say(String::from_utf8_lossy(&script).trim_end());
        ExitCode::SUCCESS
    }
}
