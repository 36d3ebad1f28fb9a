export { answerEncrypter } from './answer-encrypter.ts'
export { deleteOldAnswers, runOnce } from './run-once.ts'
