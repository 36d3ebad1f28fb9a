import { hash } from 'node:crypto'
import { createGroupCommit, type Fit } from '../concurrency/group-commit.ts'
import { withFreshBudget } from '../db/index.ts'
import type { LimitState } from '../http/index.ts'
import {
  type Account,
  type CountRequest,
  createRequest,
  openAccount,
  owe,
  peek,
  settle,
  show,
  spend,
  spendShare,
} from './account.ts'
import type { DatabaseRetry } from './database-retry.ts'
import type { Count, LimitStore } from './store.ts'

/** The rules of one group of routes. */
export interface GroupRules {
  /** Requests a minute of one credential. */
  limit: number
  /** How many requests all instances together may hold beyond need, which saves queries; 0 counts each request exactly. */
  lease: number
  /** So many requests of a credential in a minute each instance admits without a query. */
  free: number
  /** While the database is unreachable: every instance admits its share, or nothing is admitted. */
  whenAway: 'share' | 'closed'
}

export interface Group {
  take(key: string): LimitState | Promise<LimitState>
  record(key: string): LimitState
  peek(key: string): LimitState
}

export interface GroupDeps extends DatabaseRetry {
  store: LimitStore
  /** The current minute by the clock that all instances share. */
  minute(): number
  /** Number of running instances, including this one. */
  instances(): number
  /** Whether all other instances know of this one. */
  isKnown(): boolean
}

type Waiter = (state: LimitState) => void
/** A credential or address with its counts. */
interface AccountEntry {
  key: string
  account: Account
  /** Key of its row. Computed on first use: a lease may cover every request. */
  subject: string | undefined
}
interface PendingCount {
  account: Account
  waiters: readonly Waiter[]
  request: CountRequest
  count: Count
}

/** Rows of one statement. */
const MAX_ROWS = 200
/** Credentials and addresses kept per minute, about 30 MB. An evicted one queries again: it loses its lease and never exceeds the limit. */
const MAX_ACCOUNTS = 100_000
/** A smaller lease saves too few queries for the less accurate Remaining that it causes. */
const LEAST_LEASE = 5
const SECONDS_PER_MINUTE = 60

/** The limits of one group, counted together with the other instances. Requests that arrive during a statement form the next batch. */
export function createGroup(name: string, rules: GroupRules, deps: GroupDeps): Group {
  const { add } = createGroupCommit<AccountEntry, LimitState>({ store: countTogether, maxRows: MAX_ROWS, fits: newStatement })
  const { lease } = rules
  const { limit, decided, decideAlone, admit } = createDecisions(rules, deps)
  const accounts = createAccounts(deps.minute, limit)

  /** Answers the waiters that the account can decide, and returns the others. */
  function serve(account: Account, waiters: readonly Waiter[]): readonly Waiter[] {
    for (const [index, waiter] of waiters.entries()) {
      const state = admit(account)
      if (!state) return waiters.slice(index)
      waiter(state)
    }
    return []
  }

  /** The counts that need a query, in the order in which every instance locks the rows. */
  function countsOf(waiting: ReadonlyMap<AccountEntry, readonly Waiter[]>): PendingCount[] {
    const instances = deps.instances()
    const worthwhile = instances > 1 && lease / instances < LEAST_LEASE ? 0 : lease
    const batch: PendingCount[] = []
    for (const [entry, waiters] of waiting) {
      const { account } = entry
      const rest = serve(account, waiters)
      if (rest.length === 0) continue
      const request = createRequest(account, rest.length, worthwhile, instances)
      batch.push({ account, waiters: rest, request, count: countOf(name, entry, request) })
    }
    return batch.sort((left, right) => (left.count.subject < right.count.subject ? -1 : 1))
  }

  function finish({ account, waiters, request }: PendingCount, answer: Parameters<typeof settle>[2]): void {
    settle(account, request, answer, limit())
    // The remaining requests exceed the limit.
    for (const waiter of serve(account, waiters)) waiter(decided(account, 'refused'))
  }

  /** One entry for each request that waits. */
  async function countTogether(requests: readonly AccountEntry[]): Promise<LimitState[]> {
    const states: LimitState[] = []
    const batch = countsOf(waitersOf(requests, states))
    if (batch.length === 0) return states
    const counts = batch.map(({ count }) => count)
    const answers = deps.isAway() ? undefined : await withFreshBudget(() => deps.attempt(() => deps.store.add(counts, lease)))
    for (const [index, pending] of batch.entries()) {
      const answer = answers?.[index]
      if (answer) finish(pending, answer)
      else for (const waiter of pending.waiters) waiter(decideAlone(pending.account))
    }
    return states
  }

  return {
    take: (key) => {
      const entry = accounts.open(key)
      const state = admit(entry.account)
      if (state) return state
      return deps.isAway() ? decideAlone(entry.account) : add(entry)
    },
    record: (key) => {
      const { account } = accounts.open(key)
      owe(account, limit())
      return decided(account, 'refused')
    },
    peek: (key) => {
      const account = accounts.find(key)
      return decided(account, 'admitted', peek(account, limit()))
    },
  }
}

/** What the rules make of an account without a query. */
function createDecisions(rules: GroupRules, { instances, isKnown }: GroupDeps) {
  /** What the others may have admitted without a query is left out. With many of them nothing is free. */
  const freeOfEach = () => (rules.free * instances() <= rules.lease ? rules.free : 0)
  const limit = () => rules.limit - freeOfEach() * (instances() - 1)

  function decided(account: Account, outcome: LimitState['outcome'], remaining = show(account, limit())): LimitState {
    return { limit: rules.limit, remaining, resetAtSeconds: (account.minute + 1) * SECONDS_PER_MINUTE, outcome }
  }

  /** While the database is away. */
  function decideAlone(account: Account): LimitState {
    if (rules.whenAway === 'closed') return decided(account, 'unknown')
    return decided(account, spendShare(account, limit(), Math.max(1, Math.floor(rules.limit / instances()))))
  }

  /** Undefined where it takes a query. */
  function admit(account: Account): LimitState | undefined {
    const outcome = spend(account, limit(), isKnown() ? freeOfEach() : 0)
    return outcome === 'query' ? undefined : decided(account, outcome)
  }
  return { limit, decided, decideAlone, admit }
}

/** The accounts of the current minute. */
function createAccounts(minuteNow: () => number, limit: () => number) {
  let minute = Number.NEGATIVE_INFINITY
  let entries = new Map<string, AccountEntry>()

  function enterMinute(): void {
    const now = minuteNow()
    // The clock may step back into the previous minute after a new measurement: that minute stays closed.
    if (now === minute || now === minute - 1) return
    minute = now
    entries = new Map([...entries].filter(([, { account }]) => account.minute === now))
  }

  function open(key: string): AccountEntry {
    enterMinute()
    const entry = entries.get(key)
    if (entry) return entry
    if (entries.size >= MAX_ACCOUNTS) entries.delete(entries.keys().next().value as string)
    const opened = { key, account: openAccount(minute, limit()), subject: undefined }
    entries.set(key, opened)
    return opened
  }

  const find = (key: string): Account => {
    enterMinute()
    return entries.get(key)?.account ?? openAccount(minute, limit())
  }
  return { open, find }
}

/** Each writes the answer in the place of its request. */
function waitersOf(requests: readonly AccountEntry[], states: LimitState[]): Map<AccountEntry, Waiter[]> {
  const waiting = new Map<AccountEntry, Waiter[]>()
  for (const [index, entry] of requests.entries()) {
    const waiters = waiting.get(entry) ?? []
    waiters.push((state) => (states[index] = state))
    waiting.set(entry, waiters)
  }
  return waiting
}

/** So many accounts, with all of their requests. */
function newStatement(): (entry: AccountEntry) => Fit {
  const accounts = new Set<AccountEntry>()
  return (entry) => {
    if (accounts.has(entry)) return 'now'
    if (accounts.size === MAX_ROWS) return 'later'
    accounts.add(entry)
    return 'now'
  }
}

function countOf(group: string, entry: AccountEntry, { waiting, debt, extra, heldChange }: CountRequest): Count {
  // A digest has a fixed length and keeps e-mails and addresses out of the table.
  entry.subject ??= hash('sha256', `${group} ${entry.key}`).slice(0, 32)
  return { subject: entry.subject, minute: entry.account.minute, used: waiting + debt + extra, held: heldChange, extra }
}
