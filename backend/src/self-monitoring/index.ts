export { pingDeadMan } from './ping.ts'
export { PROBLEM_KINDS, type ProblemKind } from './problems.ts'
export { evaluateInstallation, findProblems, readInstallationHealth } from './service.ts'
