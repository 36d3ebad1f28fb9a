const words = (text: string): ReadonlySet<string> => new Set(text.split(' '))

/** What the backend evaluates, by its names. A test gives each to its parser. */
export const FUNCTIONS = words(
  'abs absent absent_over_time acos acosh asin asinh atan atanh avg_over_time ceil changes clamp clamp_max clamp_min cos cosh count_over_time day_of_month day_of_week day_of_year days_in_month deg delta deriv exp first_over_time floor histogram_quantile hour idelta increase irate label_join label_replace last_over_time ln log10 log2 max_over_time min_over_time minute month pi predict_linear present_over_time quantile_over_time rad rate resets round scalar sgn sin sinh sort sort_desc sqrt stddev_over_time stdvar_over_time sum_over_time tan tanh time timestamp vector year',
)
export const AGGREGATIONS = words('avg bottomk count count_values group limitk max min quantile stddev stdvar sum topk')
/** Followed by a list of labels. */
export const GROUPINGS = words('by group_left group_right ignoring on without')
export const KEYWORDS = words('and atan2 bool offset or unless')
