/** The sums of a week begin up to so many hours before the seven days, and those of these hours are kept apart. */
export const FIRST_HOURS = 2
