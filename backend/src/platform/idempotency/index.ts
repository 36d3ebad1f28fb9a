export { forgetOldAnswers, runOnce } from './run-once.ts'
