export { selfMonitoringFeature } from './feature.ts'

export { PROBLEM_KINDS, type ProblemKind } from './problems.ts'
export { findProblems, readInstallationHealth } from './service.ts'
