// What stands below what is looked at first: one file, since a phone waits for each.
export { RecentActivity } from './activity.tsx'
export { PeopleAndBudgets } from './people-and-budgets.tsx'
export { StateGrid } from './state-grid.tsx'
