export type { AssertionJudge } from './assertion-judge.ts'
export { ASSERTION_JUDGES } from './assertions/index.ts'
export { compileFaults, judge, type Verdict } from './judge.ts'
export { createObservation, type Observation, type Seen } from './observation.ts'
