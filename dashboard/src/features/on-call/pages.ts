/** The pages of one schedule or policy, in one chunk. */
export { AddPolicyPage, PolicyPage } from './policy-pages.tsx'
export { SchedulePage } from './schedule-details.tsx'
export { AddSchedulePage, EditSchedulePage } from './schedule-pages.tsx'
