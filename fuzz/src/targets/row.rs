//! A task or a schedule as a row of the tables: read or refused; what is read is written back as the same bytes.

use mainspring_store::format::{EncodedProfiles, ProfileCache, Reader, Writer};
use mainspring_store::format::{
    read_process, read_schedule, read_task, write_process, write_schedule, write_task,
};

use super::golden;

pub fn run(bytes: &[u8]) {
    if let Ok(task) = read_task(bytes, &mut ProfileCache::default()) {
        let mut written = Vec::new();
        write_task(&mut written, &task, &mut EncodedProfiles::default());
        assert!(written == bytes, "written back differently: {task:?}");
    }
    if let Ok(schedule) = read_schedule(bytes, &mut ProfileCache::default()) {
        let mut written = Vec::new();
        write_schedule(&mut written, &schedule, &mut EncodedProfiles::default());
        assert!(written == bytes, "written back differently: {schedule:?}");
    }
    let mut reader = Reader::new(bytes);
    if let Ok(process) = read_process(&mut reader) {
        let mut written = Vec::new();
        write_process(&mut Writer::new(&mut written), &process);
        assert!(bytes.starts_with(&written), "written back differently: {process:?}");
    }
}

pub fn corpus() -> Vec<Vec<u8>> {
    let rows = golden::files("task_");
    for row in &rows {
        assert!(read_task(row, &mut ProfileCache::default()).is_ok(), "a golden row is read");
    }
    let schedules = golden::files("schedule_");
    for row in &schedules {
        assert!(read_schedule(row, &mut ProfileCache::default()).is_ok(), "a golden row is read");
    }
    [rows, schedules].concat()
}
