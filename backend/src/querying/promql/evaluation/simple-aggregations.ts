import { executionError } from '../model/error.ts'
import type { Column } from './columns.ts'

/** An aggregation that takes one series after the other, over all steps. */
export interface Simple {
  add(column: Column): void
  finish(target: Column): void
}

export function createSimple(op: string, steps: number): Simple {
  switch (op) {
    case 'sum':
      return createSum(steps)
    case 'avg':
      return createMean(steps)
    case 'min':
      return createFold(steps, (result, value) => (result > value || Number.isNaN(result) ? value : result))
    case 'max':
      return createFold(steps, (result, value) => (result < value || Number.isNaN(result) ? value : result))
    case 'count':
      return createFold(steps, (result) => result + 1, 1)
    case 'group':
      return createFold(steps, () => 1, 1)
    case 'stdvar':
      return createVariance(steps, (variance) => variance)
    case 'stddev':
      return createVariance(steps, Math.sqrt)
    default:
      throw executionError(`${op} cannot be evaluated`)
  }
}

function createFold(steps: number, next: (result: number, value: number) => number, first?: number): Simple {
  const [results, seen] = [new Float64Array(steps), new Uint8Array(steps)]
  return {
    add({ values, present }) {
      for (let step = 0; step < steps; step++) {
        if (present[step] === 0) continue
        const value = values[step] ?? NaN
        results[step] = seen[step] === 1 ? next(results[step] ?? NaN, value) : (first ?? value)
        seen[step] = 1
      }
    },
    finish(target) {
      target.values.set(results)
      target.present.set(seen)
    },
  }
}

/** As `ExactSum`, for all steps at once. */
function createSum(steps: number): Simple {
  const [sums, lost, seen] = [new Float64Array(steps), new Float64Array(steps), new Uint8Array(steps)]
  return {
    add({ values, present }) {
      for (let step = 0; step < steps; step++) {
        if (present[step] === 0) continue
        addTo(sums, lost, step, values[step] ?? NaN, seen[step] === 0)
        seen[step] = 1
      }
    },
    finish(target) {
      target.present.set(seen)
      for (let step = 0; step < steps; step++) target.values[step] = (sums[step] ?? NaN) + (lost[step] ?? NaN)
    },
  }
}

function addTo(sums: Float64Array, lost: Float64Array, step: number, value: number, isFirst: boolean): void {
  if (isFirst) {
    sums[step] = value
    return
  }
  const sum = sums[step] ?? NaN
  const next = sum + value
  if (next === Infinity || next === -Infinity) lost[step] = 0
  else if (Math.abs(sum) >= Math.abs(value)) lost[step] = (lost[step] ?? NaN) + (sum - next + value)
  else lost[step] = (lost[step] ?? NaN) + (value - next + sum)
  sums[step] = next
}

/** As `ExactMean`, for all steps at once. */
function createMean(steps: number): Simple {
  const [sums, lost, counts] = [new Float64Array(steps), new Float64Array(steps), new Float64Array(steps)]
  const isIncremental = new Uint8Array(steps)
  function addIncrementally(step: number, value: number, count: number): void {
    const share = (count - 1) / count
    sums[step] = (sums[step] ?? NaN) * share
    lost[step] = (lost[step] ?? NaN) * share
    addTo(sums, lost, step, value / count, false)
  }
  return {
    add({ values, present }) {
      for (let step = 0; step < steps; step++) {
        if (present[step] === 0) continue
        const value = values[step] ?? NaN
        const count = (counts[step] ?? 0) + 1
        counts[step] = count
        if (isIncremental[step] === 1) {
          addIncrementally(step, value, count)
          continue
        }
        const sum = sums[step] ?? NaN
        const rest = lost[step] ?? NaN
        addTo(sums, lost, step, value, count === 1)
        const next = sums[step] ?? NaN
        if (count === 1 || (next !== Infinity && next !== -Infinity)) continue
        isIncremental[step] = 1
        sums[step] = sum / (count - 1)
        lost[step] = rest / (count - 1)
        addIncrementally(step, value, count)
      }
    },
    finish(target) {
      for (let step = 0; step < steps; step++) {
        const count = counts[step] ?? 0
        if (count === 0) continue
        const sum = sums[step] ?? NaN
        const rest = lost[step] ?? NaN
        target.values[step] = isIncremental[step] === 1 ? sum + rest : sum / count + rest / count
        target.present[step] = 1
      }
    },
  }
}

/** Welford's method. */
function createVariance(steps: number, of: (variance: number) => number): Simple {
  const [means, squares, counts] = [new Float64Array(steps), new Float64Array(steps), new Float64Array(steps)]
  return {
    add({ values, present }) {
      for (let step = 0; step < steps; step++) {
        if (present[step] === 0) continue
        const value = values[step] ?? NaN
        const count = (counts[step] ?? 0) + 1
        counts[step] = count
        const delta = value - (means[step] ?? NaN)
        means[step] = count === 1 ? value : (means[step] ?? NaN) + delta / count
        if (count === 1) squares[step] = Number.isFinite(value) ? 0 : NaN
        else squares[step] = (squares[step] ?? NaN) + delta * (value - (means[step] ?? NaN))
      }
    },
    finish(target) {
      for (let step = 0; step < steps; step++) {
        const count = counts[step] ?? 0
        if (count === 0) continue
        target.values[step] = of((squares[step] ?? NaN) / count)
        target.present[step] = 1
      }
    },
  }
}
