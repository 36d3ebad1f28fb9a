import fc from 'fast-check'

/** Random expressions of the grammar over the series of the dataset. Most of them can be evaluated, some fail on both sides. */

const pick = (...values: string[]): fc.Arbitrary<string> => fc.constantFrom(...values)
/** A template whose `%` are filled in turn. */
const fill = (template: string, ...parts: fc.Arbitrary<string>[]): fc.Arbitrary<string> =>
  fc.tuple(...parts).map((values) => values.reduce((text, value) => text.replace('%', () => value), template))

const number = pick('0', '1', '2', '-1', '0.5', '10', '100', '1e3', 'NaN', 'Inf', '-Inf', '3.7', '60', '1e-3')
const duration = pick('15s', '20s', '1m', '90s', '5m', '7m', '10m', '1h', '123ms')
const label = pick('host', 'host', 'host', 'region', 'region', 'code', 'kind', 'le', 'version', 'nothing')
const labels = fc.uniqueArray(label, { maxLength: 3 }).map((names) => names.join(', '))
const matcher = pick(
  'host="a"',
  'host!="b"',
  'host=~"a|c"',
  'host!~"[bc]"',
  'nothing=""',
  '__name__!="lonely"',
  'region=~"eu|"',
  'kind!="nan"',
)
const metric = pick(
  'temperature',
  'memory_bytes',
  'load',
  'up',
  'host_info',
  'limit',
  'http_requests_total',
  'request_seconds_bucket',
  'odd',
  'lonely',
  'short',
)
const matchers = fc.oneof(
  { weight: 3, arbitrary: fc.constant('') },
  { weight: 2, arbitrary: fill('{%}', matcher) },
  { weight: 1, arbitrary: fill('{%, %}', matcher, matcher) },
)
const selector = fill('%%', metric, matchers)
const instant = pick('1767229200', '1767227000.5', 'start()', 'end()')
const plainShift = fc.oneof({ weight: 3, arbitrary: fc.constant('') }, { weight: 1, arbitrary: fill(' offset %', duration) })
const shift = fc.oneof(
  { weight: 6, arbitrary: fc.constant('') },
  { weight: 2, arbitrary: fill(' offset %', duration) },
  { weight: 1, arbitrary: fill(' offset -%', duration) },
  { weight: 1, arbitrary: fill(' @ %', instant) },
  { weight: 1, arbitrary: fill(' @ % offset %', instant, duration) },
)

const aggregation = pick('sum', 'avg', 'min', 'max', 'count', 'group', 'stddev', 'stdvar')
const extreme = pick('topk', 'bottomk', 'limitk', 'quantile')
/** The same at all steps: where the vector or the parameter has `@`, Prometheus takes the parameter of another step. */
const parameter = fc.oneof(number, pick('pi()'))
const grouping = fc.oneof(fc.constant(''), fill(' by (%) ', labels), fill(' without (%) ', labels))
const overRange = pick(
  'rate',
  'increase',
  'delta',
  'irate',
  'idelta',
  'deriv',
  'changes',
  'resets',
  'avg_over_time',
  'sum_over_time',
  'count_over_time',
  'min_over_time',
  'max_over_time',
  'last_over_time',
  'present_over_time',
  'absent_over_time',
  'stddev_over_time',
  'stdvar_over_time',
)
const maths = pick(
  'abs',
  'ceil',
  'floor',
  'exp',
  'sqrt',
  'ln',
  'log2',
  'log10',
  'sgn',
  'sin',
  'cos',
  'atan',
  'tanh',
  'deg',
  'rad',
  'absent',
  'sort',
  'sort_desc',
  'round',
)
const arithmetic = pick('+', '-', '*', '/', '%', '^', 'atan2')
const comparison = pick('==', '!=', '>', '<', '>=', '<=')
const set = pick('and', 'or', 'unless')
const matching = fc.oneof(fc.constant(''), fill(' on (%) ', labels), fill(' ignoring (%) ', labels))
const matchingMany = fc.oneof(
  matching,
  fill(' on (%) group_left (%) ', labels, labels),
  fill(' ignoring (%) group_right (%) ', labels, labels),
  fill(' on (%) group_left ', labels),
)

// An interface has no index, which `letrec` asks for.
type Kinds = { vector: string; scalar: string; matrix: string }

export const randomExpression: fc.Arbitrary<string> = fc.letrec<Kinds>((tie) => ({
  vector: fc.oneof(
    { maxDepth: 4, depthIdentifier: 'expression' },
    fill('%%', selector, shift),
    fill('%(%)', overRange, tie('matrix')),
    fill('%%(%)', aggregation, grouping, tie('vector')),
    fill('%(%)', maths, tie('vector')),
    // Over a selector: of equal values the first stay, and Prometheus computes other vectors in an order of chance.
    fill('%%(%, %%)', extreme, grouping, parameter, selector, shift),
    fill('(% % %)', tie('vector'), arithmetic, tie('scalar')),
    fill('(% % % % -% % %)', selector, arithmetic, number, arithmetic, selector, arithmetic, number),
    fill('(% % %% % %%)', selector, set, selector, shift, set, selector, shift),
    fill('(% % -%% % %)', number, arithmetic, selector, shift, arithmetic, number),
    fill('(% % %)', tie('scalar'), comparison, tie('vector')),
    fill('(% % bool %)', tie('vector'), comparison, tie('scalar')),
    fill('(% % % %)', tie('vector'), arithmetic, matchingMany, tie('vector')),
    fill('(% % % sum % (%))', tie('vector'), arithmetic, matchingMany, grouping, tie('vector')),
    fill('(% % % %)', tie('vector'), comparison, matching, tie('vector')),
    fill('(% % % %)', tie('vector'), set, matching, tie('vector')),
    // Prometheus forgets the offset where both are given.
    fill('timestamp(%%)', selector, plainShift),
    fill('timestamp(-%)', tie('vector')),
    fill('-%', tie('vector')),
    fill('(%)', tie('vector')),
    fill('vector(%)', tie('scalar')),
    fill('clamp(%, %, %)', tie('vector'), number, number),
    fill('histogram_quantile(%, %)', tie('scalar'), tie('vector')),
    fill('label_replace(%, "%", "$1", "%", "(.*)")', tie('vector'), label, label),
    fill('label_join(%, "%", "-", "%", "%")', tie('vector'), label, label, label),
    fill('quantile_over_time(%, %)', tie('scalar'), tie('matrix')),
    // Not over a subquery with `@`: Prometheus evaluates more of it than is used, and fails there.
    fill('predict_linear(%[%]%, %)', selector, duration, shift, tie('scalar')),
    // Rounded: the last digit of a value would be another label.
    fill('count_values%("%", round(clamp(%, -1e3, 1e3), 0.1))', grouping, label, tie('vector')),
  ),
  scalar: fc.oneof(
    { maxDepth: 4, depthIdentifier: 'expression' },
    number,
    pick('time()', 'pi()'),
    fill('scalar(%)', tie('vector')),
    fill('(% % %)', tie('scalar'), arithmetic, tie('scalar')),
  ),
  matrix: fc.oneof(
    { maxDepth: 4, depthIdentifier: 'expression' },
    fill('%[%]%', selector, duration, shift),
    fill('%[%:%]%', tie('vector'), duration, pick('', '30s', '1m', '77s'), shift),
  ),
})).vector
