//! Against directories of plain files, and against the kernel where it lets us.

use std::fs;
use std::os::unix::process::{CommandExt, ExitStatusExt};
use std::path::{Path, PathBuf};
use std::process::Command;

use mainspring_core::values::{Fence, TaskId};

use super::*;

const WORKER: WorkerId = WorkerId::from_bits(5);

fn key(task: u128) -> Key {
    Key { task: TaskId::from_bits(task), fence: Fence::from_bits(9) }
}

fn fake(controllers: &str) -> tempfile::TempDir {
    let dir = tempfile::tempdir().expect("a directory");
    fs::write(dir.path().join("cgroup.controllers"), controllers).expect("written");
    dir
}

/// Of the only attempt that there is.
fn only(base: &Path) -> PathBuf {
    let attempts = fs::read_dir(base.join(format!("mainspring-{WORKER}"))).expect("the worker's directory");
    let mut dirs = attempts.map(|entry| entry.expect("an entry").path()).filter(|path| path.is_dir());
    let dir = dirs.next().expect("an attempt");
    assert_eq!(dirs.next(), None);
    dir
}

/// Name, controllers, limits, and what the files hold.
type Row<'a> = (&'a str, &'a str, CgroupLimits, [Option<&'a str>; 4]);

#[test]
fn limits_are_written_as_the_kernel_reads_them() {
    let all = CgroupLimits { memory_bytes: Some(64 << 20), cpu_milli: Some(1500), processes: Some(20) };
    let tiny = CgroupLimits { cpu_milli: Some(1), ..CgroupLimits::default() };
    let rows: [Row<'_>; 3] = [
        (
            "all",
            "cpu io memory pids\n",
            all,
            [Some("67108864"), Some("0"), Some("150000 100000"), Some("20")],
        ),
        ("less than the kernel takes", "cpu memory pids", tiny, [None, None, Some("1000 100000"), None]),
        ("only memory is delegated", "memory\n", all, [Some("67108864"), Some("0"), None, None]),
    ];
    for (name, controllers, limits, written) in rows {
        let base = fake(controllers);
        let cgroups = CgroupFs::open(base.path(), WORKER).expect(name);
        cgroups.create(key(1), limits).expect(name);
        let dir = only(base.path());
        let files = ["memory.max", "memory.swap.max", "cpu.max", "pids.max"];
        let found = files.map(|file| fs::read_to_string(dir.join(file)).ok());
        assert_eq!(found.each_ref().map(Option::as_deref), written, "{name}");
    }
}

#[test]
fn a_place_without_controllers_is_not_used() {
    let nothing = tempfile::tempdir().expect("a directory");
    assert!(CgroupFs::open(nothing.path(), WORKER).is_err());
    let others = fake("io rdma\n");
    let why = CgroupFs::open(others.path(), WORKER).err().expect("nothing to limit with");
    assert!(why.starts_with("no controller"), "{why}");
    assert_eq!(fs::read_dir(others.path()).expect("a directory").count(), 1, "nothing is left behind");
}

#[test]
fn the_kernels_word_on_memory_is_read() {
    let base = fake("memory");
    let cgroups = CgroupFs::open(base.path(), WORKER).expect("cgroups");
    let cgroup = cgroups.create(key(1), CgroupLimits::default()).expect("a cgroup");
    assert_eq!(cgroup.memory_end(), None, "nobody counts it here");
    let dir = only(base.path());
    let rows = [
        ("low 0\nhigh 0\nmax 12\noom 1\noom_kill 2\noom_group_kill 7\n", "4096\n", 2, Some(4096)),
        ("low 0\nhigh 0\nmax 0\noom 0\noom_kill 1\n", "4096\n", 1, None),
        ("low 0\nhigh 0\nmax 12\noom 0\noom_kill 0\n", "max\n", 0, None),
    ];
    for (events, max, killed, over_limit) in rows {
        fs::write(dir.join("memory.events"), events).expect("written");
        fs::write(dir.join("memory.max"), max).expect("written");
        assert_eq!(cgroup.memory_end(), Some(MemoryEnd { killed, over_limit }), "{events}");
    }
    let again = cgroups.create(key(1), CgroupLimits::default()).err().expect("one attempt, one cgroup");
    assert_eq!(again.kind(), io::ErrorKind::AlreadyExists);
}

#[test]
fn a_kernel_that_cannot_end_a_cgroup_at_once_ends_one_process_after_the_other() {
    let base = fake("memory");
    let cgroups = CgroupFs::open(base.path(), WORKER).expect("cgroups");
    let cgroup = cgroups.create(key(1), CgroupLimits::default()).expect("a cgroup");
    let dir = only(base.path());
    // What cannot be written to.
    fs::create_dir(dir.join("cgroup.kill")).expect("a directory");
    let mut child = Command::new("sleep").arg("600").spawn().expect("started");
    // The test itself must not be meant by the 0 of another namespace.
    fs::write(dir.join("cgroup.procs"), format!("0\n{}\n", child.id())).expect("written");
    cgroup.kill().expect("ended");
    assert_eq!(child.wait().expect("waited for").signal(), Some(9));
}

#[test]
fn what_an_earlier_agent_left_goes_and_what_is_kept_stays() {
    let base = fake("memory");
    let cgroups = CgroupFs::open(base.path(), WORKER).expect("cgroups");
    for task in [1, 2, 3] {
        cgroups.create(key(task), CgroupLimits::default()).expect("a cgroup");
    }
    let other = CgroupFs::open(base.path(), WorkerId::from_bits(6)).expect("another worker's");
    other.create(key(4), CgroupLimits::default()).expect("a cgroup");
    // A plain directory is not removed with a file in it: so the order to end is seen here.
    cgroups.clear(&[key(2)]);
    let killed = |task| {
        let dir = base.path().join(format!("mainspring-{WORKER}/{}-9", key(task).task));
        fs::read_to_string(dir.join("cgroup.kill")).ok()
    };
    assert_eq!([1, 2, 3].map(killed), [Some("1".to_owned()), None, Some("1".to_owned())]);
    assert!(cgroups.find(key(2)).is_some());
    assert!(cgroups.find(key(4)).is_none(), "another worker's are not ours");
    let kept = cgroups.find(key(2)).expect("a cgroup");
    kept.remove().expect("nothing is in it");
    assert!(cgroups.find(key(2)).is_none());
    assert!(other.find(key(4)).is_some());
}

#[test]
fn the_agents_own_cgroup_is_found() {
    let mount = Path::new("/m");
    let rows = [
        ("0::/system.slice/w.service\n", Some("/m/system.slice/w.service")),
        ("0::/system.slice/w.service/mainspring-agent\n", Some("/m/system.slice/w.service")),
        ("4:memory:/a\n0::/\n", Some("/m/")),
        ("0::/../b\n", None),
        ("4:memory:/a\n", None),
    ];
    for (text, base) in rows {
        assert_eq!(find::base(text, mount), base.map(PathBuf::from), "{text}");
    }
}

/// A cgroup file system of version 2, also beside one of version 1; controllers or not.
fn real(number: u128) -> Result<CgroupFs, String> {
    let read = |path| fs::read_to_string(path).map_err(|error| format!("{path}: {error}"));
    let mounts = read("/proc/self/mounts")?;
    let mount = mounts.lines().map(|line| line.split(' ').collect::<Vec<_>>());
    let mount = mount.into_iter().find(|words| words.get(2) == Some(&"cgroup2"));
    let mount = mount.ok_or("no cgroup file system of version 2 is mounted")?[1].to_owned();
    let base = find::base(&read("/proc/self/cgroup")?, Path::new(&mount)).ok_or("not in a cgroup")?;
    let worker = WorkerId::from_bits(u128::from(std::process::id()) << 8 | number);
    CgroupFs::open(&base, worker).or_else(|why| {
        println!("without limits: {why}");
        let dir = base.join(format!("mainspring-{worker}"));
        fs::create_dir(&dir).map_err(|error| format!("{}: {error}", dir.display()))?;
        Ok(CgroupFs { dir, controllers: Vec::new() })
    })
}

#[test]
fn the_kernel_does_what_it_is_told() {
    let cgroups = match real(1) {
        Ok(cgroups) => cgroups,
        Err(why) => return println!("left out: {why}"),
    };
    let limits = CgroupLimits { memory_bytes: Some(64 << 20), cpu_milli: Some(500), processes: Some(16) };
    let cgroup = cgroups.create(key(1), limits).expect("a cgroup");
    if cgroups.controllers.contains(&"memory") {
        assert_eq!(cgroup.memory_end(), Some(MemoryEnd::default()));
    }
    let entrance = cgroup.entrance().expect("an entrance");
    let mut command = Command::new("sleep");
    command.arg("600");
    // SAFETY: only a bare system call between fork and exec.
    #[expect(unsafe_code, reason = "as the executor does it")]
    unsafe {
        command.pre_exec(move || Ok(rustix::io::write(&entrance, b"0").map(drop)?));
    }
    let mut child = command.spawn().expect("started");
    let found = fs::read_to_string(format!("/proc/{}/cgroup", child.id())).expect("it runs");
    assert!(found.lines().any(|line| line.starts_with("0::/") && line.ends_with("-9")), "{found}");
    // A program may well make some of its own.
    fs::create_dir_all(cgroups.dir.join(format!("{}-9/inner/most", key(1).task))).expect("made inside");
    assert_eq!(cgroup.remove().expect_err("something is in it").kind(), io::ErrorKind::ResourceBusy);
    let waiting = cgroup.remove_when_empty(Duration::from_millis(1)).expect_err("it does not wait for ever");
    assert_eq!(waiting.kind(), io::ErrorKind::ResourceBusy);
    cgroup.kill().expect("ended");
    let removed = std::thread::spawn(move || cgroup.remove_when_empty(Duration::from_secs(20)));
    assert_eq!(child.wait().expect("waited for").signal(), Some(9));
    removed.join().expect("no panic").expect("nothing is in it");
    assert!(cgroups.find(key(1)).is_none());
}

#[test]
fn what_a_killed_agent_left_is_gone_when_the_next_one_starts() {
    let cgroups = match real(2) {
        Ok(cgroups) => cgroups,
        Err(why) => return println!("left out: {why}"),
    };
    let cgroup = cgroups.create(key(2), CgroupLimits::default()).expect("a cgroup");
    let entrance = cgroup.entrance().expect("an entrance");
    let mut child = Command::new("sleep").arg("600").spawn().expect("started");
    rustix::io::write(&entrance, child.id().to_string().as_bytes()).expect("it is in");
    // Nobody holds its end up, as when its parent is gone.
    let reaped = std::thread::spawn(move || child.wait().expect("waited for").signal());
    cgroups.clear(&[]);
    assert_eq!(reaped.join().expect("no panic"), Some(9));
    assert!(cgroups.find(key(2)).is_none(), "not only told to go");
}
