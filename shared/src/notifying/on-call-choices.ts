/** Bounds of on-call schedules and escalation policies. This file needs no schema library, so that the page can load it alone. */
export const WEEKDAYS = ['MO', 'TU', 'WE', 'TH', 'FR', 'SA', 'SU'] as const
export const MAX_SCHEDULE_LAYERS = 20
/** Turns of a layer. */
export const MAX_LAYER_USERS = 50
/** People who are on duty together in one turn. */
export const MAX_TURN_USERS = 20
/** Of a layer, and of a step. */
export const MAX_LAYER_RESTRICTIONS = 10
/** Those of 90 days with two shifts a day. */
export const MAX_SCHEDULE_OVERRIDES = 200
/** Shifts of the calendar that a schedule follows. */
export const MAX_ICAL_SHIFTS = 500
/** How far ahead they are at least known. */
export const ICAL_DAYS = 90
export const MAX_ICAL_URL_LENGTH = 2_048
/** All handovers since the start are counted, which is bounded. */
export const MAX_LAYER_AGE_YEARS = 10
/** How far ahead shifts may be read, for the same reason. */
export const MAX_SHIFTS_AHEAD_YEARS = 10
/** The longest range of shifts in one answer. */
export const MAX_SHIFT_DAYS = 92
export const MAX_ESCALATION_STEPS = 10
/** Of each kind in a step. */
export const MAX_STEP_RECIPIENTS = 20
export const ESCALATION_WAIT_SECONDS = { minimum: 60, maximum: 86_400, default: 300 } as const
export const MAX_ESCALATION_REPEATS = 9
export const REOPEN_SECONDS = { minimum: 300, maximum: 604_800 } as const
