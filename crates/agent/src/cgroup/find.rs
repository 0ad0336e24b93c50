//! Where the agent may make cgroups.

use std::fs;
use std::path::{Path, PathBuf};

use super::fs::AGENT;

const MOUNT: &str = "/sys/fs/cgroup";

/// The directory that was delegated to the agent, or why there is none.
pub fn delegated() -> Result<PathBuf, String> {
    if !Path::new(MOUNT).join("cgroup.controllers").exists() {
        return Err(format!("`{MOUNT}` is not a cgroup file system of version 2"));
    }
    let text = fs::read_to_string("/proc/self/cgroup").map_err(|error| error.to_string())?;
    base(&text, Path::new(MOUNT)).ok_or_else(|| "the agent is in no cgroup of version 2".to_owned())
}

/// From the text of `/proc/self/cgroup`.
pub(super) fn base(text: &str, mount: &Path) -> Option<PathBuf> {
    let own = text.lines().find_map(|line| line.strip_prefix("0::/"))?;
    // `..` is a cgroup outside of what this mount shows.
    if own.split('/').any(|part| part == "..") {
        return None;
    }
    let own = mount.join(own);
    // An earlier agent of this process, or systemd (`DelegateSubgroup`), has made room already.
    if own.ends_with(AGENT) { own.parent().map(Path::to_owned) } else { Some(own) }
}
