export { deleteOldAnswers, runOnce } from './run-once.ts'
