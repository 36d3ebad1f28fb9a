export {
  keepAllPartitions,
  type JobDeps,
  readAllPartitions,
  readInstallation,
  startJobs,
} from './jobs.ts'
