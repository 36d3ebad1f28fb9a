import { createWaitingBudget, REQUEST_LIMIT_MS, withBudget } from '../../src/platform/concurrency/waiting-budget.ts'
import type { Instance } from './instance.ts'
import type { World } from './world.ts'

/** The client does not know what became of its request. */
export class Lost extends Error {}

/** What clients send to the instances. */
export interface Requests {
  /** Resolves with the answer. Throws Lost where it does not arrive: its instance died, or the network ate it. */
  send<T>(instance: Instance, label: string, work: (instance: Instance) => Promise<T>): Promise<T>
  /** The instance is dead: nobody waits for it any more. */
  evict(instance: Instance): void
  /** How many wait for an answer. */
  readonly waiting: number
}

export function createRequests(world: World, loses: () => boolean): Requests {
  const waiting = new Map<(lost: Lost) => void, Instance>()
  return {
    send: (instance, label, work) =>
      new Promise((resolve, reject) => {
        const lose = (lost: Lost) => {
          waiting.delete(lose)
          reject(lost)
        }
        waiting.set(lose, instance)
        const answered = (answer: string, report: () => void) => {
          if (!waiting.delete(lose)) return
          const isLost = loses()
          world.note(`${instance.owner.name} answers ${label}: ${answer}${isLost ? ', which is lost' : ''}`)
          if (isLost) reject(new Lost('the answer was lost'))
          else report()
        }
        instance
          .run(() => withBudget(createWaitingBudget(REQUEST_LIMIT_MS), () => work(instance)))
          .then(
            (result) => answered('done', () => resolve(result)),
            (error: unknown) => answered(nameOf(error), () => reject(error)),
          )
      }),
    evict: (instance) => {
      for (const [lose, of] of waiting) if (of === instance) lose(new Lost('the instance died'))
    },
    get waiting() {
      return waiting.size
    },
  }
}

const nameOf = (error: unknown): string =>
  String((error as { code?: string }).code ?? (error instanceof Error ? error.message : error)).slice(0, 80)
