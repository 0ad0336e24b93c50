// The pages that show one, with graph and log. Loaded together.

export { default as Run } from './run';
export { default as Job } from './job';
export { default as Schedule } from './schedule';
export { default as Task } from './task';
export { default as Worker } from './worker';
