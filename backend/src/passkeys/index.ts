export { challengeEncrypter } from './challenge.ts'
export { passkeyRoutes } from './routes.ts'
export { deleteUsedChallenges } from './store.ts'
