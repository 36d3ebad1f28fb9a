export { pingDeadMan } from './ping.ts'
export { judgeOwnHealth, readOwnHealth } from './service.ts'
