export { pingDeadMan } from './ping.ts'
export { judgeOwnHealth } from './service.ts'
