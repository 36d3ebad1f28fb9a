import { hash } from 'node:crypto'
import type { LimitState } from '../http/index.ts'
import { type Account, type Ask, askFor, openAccount, owe, peek, settle, show, spend, spendShare } from './account.ts'
import type { Patience } from './patience.ts'
import type { Count, LimitStore } from './store.ts'

/** What holds for one group of routes. */
export interface GroupRules {
  /** Requests a minute of one credential. */
  limit: number
  /** How many requests all instances together may hold beyond need, so that not each has to ask; 0 counts each one exactly. */
  lease: number
  /** While the database is away: every instance admits its share, or nothing is let in. */
  whenAway: 'share' | 'closed'
}

export interface Group {
  take(key: string): LimitState | Promise<LimitState>
  note(key: string): LimitState
  peek(key: string): LimitState
}

export interface GroupDeps extends Patience {
  store: LimitStore
  /** The minute it is, by the clock that all instances share. */
  minute(): number
  /** How many instances there are, this one included. */
  instances(): number
}

type Waiter = (state: LimitState) => void
/** A credential or address with what is known of it. */
interface Known {
  key: string
  account: Account
  /** Names its row. Made when it is needed for the first time: a lease may cover all that comes. */
  subject: string | undefined
}
interface Asking {
  account: Account
  waiters: readonly Waiter[]
  ask: Ask
  count: Count
}

/** Rows of one statement. */
const MAX_ROWS = 200
/** Credentials and addresses kept of one minute, some 30 MB. Whoever is dropped asks anew: short of a lease, never over. */
const MAX_ACCOUNTS = 100_000
/** A smaller lease saves too little for a Remaining that the other instances do not know of. */
const LEAST_LEASE = 5
const SECONDS_PER_MINUTE = 60

/** The limits of one group, counted together with the other instances. While one statement is under way the next gathers. */
export function createGroup(name: string, { limit, lease, whenAway }: GroupRules, deps: GroupDeps): Group {
  let minute = Number.NEGATIVE_INFINITY
  let all = new Map<string, Known>()
  const queue = new Map<Known, Waiter[]>()
  let isRunning = false

  function enterMinute(): void {
    const now = deps.minute()
    // A clock that was compared anew may step back over the edge: that minute is over all the same.
    if (now === minute || now === minute - 1) return
    minute = now
    all = new Map([...all].filter(([, { account }]) => account.minute === now))
  }

  function open(key: string): Known {
    enterMinute()
    const known = all.get(key)
    if (known) return known
    if (all.size >= MAX_ACCOUNTS) all.delete(all.keys().next().value as string)
    const opened = { key, account: openAccount(minute, limit), subject: undefined }
    all.set(key, opened)
    return opened
  }

  function decided(account: Account, verdict: LimitState['verdict']): LimitState {
    return { limit, remaining: show(account, limit), resetAtSeconds: (account.minute + 1) * SECONDS_PER_MINUTE, verdict }
  }

  function decideAlone(account: Account): LimitState {
    if (whenAway === 'closed') return decided(account, 'unknown')
    return decided(account, spendShare(account, limit, Math.max(1, Math.floor(limit / deps.instances()))))
  }

  /** Answers those whom the account can answer by now, and gives the others. */
  function serve(account: Account, waiters: readonly Waiter[]): readonly Waiter[] {
    for (const [index, waiter] of waiters.entries()) {
      const verdict = spend(account, limit)
      if (verdict === 'ask') return waiters.slice(index)
      waiter(decided(account, verdict))
    }
    return []
  }

  /** Those who still have to ask, in the order in which every instance locks their rows. */
  function nextBatch(): Asking[] {
    const instances = deps.instances()
    const worthwhile = instances > 1 && lease / instances < LEAST_LEASE ? 0 : lease
    const batch: Asking[] = []
    for (const [known, waiters] of queue) {
      if (batch.length === MAX_ROWS) break
      queue.delete(known)
      const { account } = known
      const rest = serve(account, waiters)
      if (rest.length === 0) continue
      const ask = askFor(account, rest.length, worthwhile, instances)
      batch.push({ account, waiters: rest, ask, count: countOf(name, known, ask) })
    }
    return batch.sort((left, right) => (left.count.subject < right.count.subject ? -1 : 1))
  }

  function finish({ account, waiters, ask }: Asking, answer: Parameters<typeof settle>[2]): void {
    settle(account, ask, answer, limit)
    // Whoever is left then is over the limit.
    for (const waiter of serve(account, waiters)) waiter(decided(account, 'refused'))
  }

  async function run(): Promise<void> {
    while (queue.size > 0) {
      const batch = nextBatch()
      if (batch.length === 0) continue
      const answers = await deps.attempt(() =>
        deps.store.add(
          batch.map(({ count }) => count),
          lease,
        ),
      )
      for (const [index, asking] of batch.entries()) {
        const answer = answers?.[index]
        if (answer) finish(asking, answer)
        else for (const waiter of asking.waiters) waiter(decideAlone(asking.account))
      }
      if (answers) continue
      for (const [{ account }, waiters] of queue) for (const waiter of waiters) waiter(decideAlone(account))
      queue.clear()
    }
    isRunning = false
  }

  function enqueue(known: Known, waiter: Waiter): void {
    const queued = queue.get(known)
    if (queued) queued.push(waiter)
    else queue.set(known, [waiter])
    if (isRunning) return
    isRunning = true
    void run()
  }

  return {
    take: (key) => {
      const known = open(key)
      const { account } = known
      const verdict = spend(account, limit)
      if (verdict !== 'ask') return decided(account, verdict)
      if (deps.isAway()) return decideAlone(account)
      return new Promise((resolve) => enqueue(known, resolve))
    },
    note: (key) => {
      const { account } = open(key)
      owe(account, limit)
      return decided(account, 'refused')
    },
    peek: (key) => {
      enterMinute()
      const account = all.get(key)?.account ?? openAccount(minute, limit)
      const resetAtSeconds = (account.minute + 1) * SECONDS_PER_MINUTE
      return { limit, remaining: peek(account, limit), resetAtSeconds, verdict: 'admitted' }
    },
  }
}

function countOf(group: string, known: Known, { waiting, debt, extra, heldChange }: Ask): Count {
  // A digest: of one length whatever the key holds, and no e-mail or address stands in the table.
  known.subject ??= hash('sha256', `${group} ${known.key}`).slice(0, 32)
  return { subject: known.subject, minute: known.account.minute, used: waiting + debt + extra, held: heldChange, extra }
}
