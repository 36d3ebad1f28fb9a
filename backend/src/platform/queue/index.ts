export { createLanes, type Lanes } from './lanes.ts'
export { abandonJob, attemptJob, drainQueue, type Queue, type QueueDeps } from './queue.ts'
export { createPace, type Pace } from './pace.ts'
export {
  claimAttempt,
  completeJob,
  deleteJobs,
  enqueue,
  findNextDue,
  type Job,
  leaseJobs,
  lockPendingKeys,
  takeJobs,
} from './queue-store.ts'
export { RETRY_FOR_MS } from './retry.ts'
