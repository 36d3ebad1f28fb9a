export { type LocalAgent, startLocalAgent } from './service.ts'
