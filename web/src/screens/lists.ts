// The pages that show many; part of the first load.

export { default as Now } from './now';
export { default as Runs } from './runs';
export { default as Jobs } from './jobs';
export { default as Schedules } from './schedules';
export { default as Tasks } from './tasks';
export { default as DeadLetters } from './dead-letters';
export { default as Queues } from './queues';
export { default as Workers } from './workers';
export { default as System } from './system';
