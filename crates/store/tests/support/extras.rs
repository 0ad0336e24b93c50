//! What most tasks do not have, drawn.

use super::*;

pub fn details() -> impl Strategy<Value = Box<AttemptDetails>> {
    let progress = option::of("[a-zé ]{0,20}".prop_map(String::into_boxed_str));
    (option::of(number()), option::of(number()), option::of(number()), progress, option::of(name())).prop_map(
        |(memory_peak_bytes, cpu_ms, ran_ms, progress, waited_for)| {
            Box::new(AttemptDetails { memory_peak_bytes, cpu_ms, ran_ms, progress, waited_for })
        },
    )
}

pub fn extra() -> impl Strategy<Value = Box<Extra>> {
    let more = (option::of(number()), option::of(details()));
    let attempt =
        (any::<u32>(), fence(), worker(), wall(), wall(), (failure(), select(Status::ALL.to_vec())), more)
            .prop_map(
                |(number, fence, worker, assigned, ended, (failure, left), (memory_bytes, details))| {
                    AttemptRecord {
                        number,
                        fence,
                        worker,
                        assigned,
                        ended,
                        failure,
                        left,
                        memory_bytes,
                        details,
                    }
                },
            );
    let given = (option::of(labels()), option::of(key()), option::of(bytes()), option::of(bytes()));
    let note = (wall(), select(TaskChange::ALL.to_vec()), select(Status::ALL.to_vec()), over())
        .prop_map(|(at, change, status, over)| TaskNote { at, change, status, over });
    let rest = (
        option::of(number()),
        option::of(over()),
        option::of(permits()),
        option::of(window()),
        vec(note, 0..3),
    );
    (given, vec(attempt, 0..4), (any::<[u32; 2]>(), option::of(wall()), option::of(details())), rest)
        .prop_map(
            |(
                (labels, key, checkpoint, output),
                attempts,
                ([attempts_dropped, worker_kills], deadline, details),
                (memory_bytes, forced, permits, window, notes),
            )| {
                Box::new(Extra {
                    labels,
                    key,
                    attempts,
                    attempts_dropped,
                    worker_kills,
                    checkpoint,
                    output,
                    memory_bytes,
                    forced,
                    permits,
                    window,
                    deadline,
                    details,
                    notes,
                })
            },
        )
}
