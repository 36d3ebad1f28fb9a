export { pingDeadMan } from './ping.ts'
export { evaluateInstallation, readInstallationHealth } from './service.ts'
