import type { ValueType } from '../model/types.ts'

export interface Signature {
  args: readonly ValueType[]
  /** How many of the last arguments may be left out; -1: the last one may be repeated or left out. */
  optional: number
  returns: ValueType
}

const signature = (args: readonly ValueType[], returns: ValueType = 'vector', optional = 0): Signature => ({
  args,
  optional,
  returns,
})
const each = (names: string, of: Signature): [string, Signature][] => names.split(' ').map((name) => [name, of])

/** All functions that can be evaluated. */
export const FUNCTIONS: ReadonlyMap<string, Signature> = new Map([
  ...each(
    'abs absent acos acosh asin asinh atan atanh ceil cos cosh deg exp floor ln log10 log2 rad sgn sin sinh sort sort_desc sqrt tan tanh timestamp',
    signature(['vector']),
  ),
  ...each('day_of_month day_of_week day_of_year days_in_month hour minute month year', signature(['vector'], 'vector', 1)),
  ...each(
    'absent_over_time avg_over_time changes count_over_time delta deriv first_over_time idelta increase irate last_over_time max_over_time min_over_time present_over_time rate resets stddev_over_time stdvar_over_time sum_over_time',
    signature(['matrix']),
  ),
  ['quantile_over_time', signature(['scalar', 'matrix'])],
  ['predict_linear', signature(['matrix', 'scalar'])],
  ['clamp', signature(['vector', 'scalar', 'scalar'])],
  ...each('clamp_max clamp_min', signature(['vector', 'scalar'])),
  ['round', signature(['vector', 'scalar'], 'vector', 1)],
  ['histogram_quantile', signature(['scalar', 'vector'])],
  ['label_replace', signature(['vector', 'string', 'string', 'string', 'string'])],
  ['label_join', signature(['vector', 'string', 'string', 'string'], 'vector', -1)],
  ...each('pi time', signature([], 'scalar')),
  ['scalar', signature(['vector'], 'scalar')],
  ['vector', signature(['scalar'])],
])

/** Functions of Prometheus that are refused, and why. */
const EXPERIMENTAL = 'it is an experimental function of Prometheus'
const NATIVE = 'it is for native histograms'
const refused = (names: string, why: string): [string, string][] => names.split(' ').map((name) => [name, why])
export const REFUSED_FUNCTIONS: ReadonlyMap<string, string> = new Map([
  ...refused(
    'double_exponential_smoothing info mad_over_time ts_of_first_over_time ts_of_max_over_time ts_of_min_over_time ts_of_last_over_time sort_by_label sort_by_label_desc start end range step start_timestamp histogram_quantiles',
    EXPERIMENTAL,
  ),
  ...refused('histogram_avg histogram_count histogram_fraction histogram_stddev histogram_stdvar histogram_sum', NATIVE),
])
