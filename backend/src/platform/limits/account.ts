/**
 * The counts that one instance holds of one credential in one group and minute, and the decisions that follow from them. Pure:
 * the caller queries the database.
 *
 * The limit is never exceeded: a request is admitted only against a count that the shared row gave to this instance, as one of the
 * first of a minute, which the limit of the other instances leaves out, or, while the database is unreachable, against this
 * instance's share.
 */
export interface Account {
  /** Minutes since the epoch. */
  minute: number
  /** Requests of all instances according to the newest answer, including those beyond the limit. */
  used: number
  /** The part of `used` that this instance was given and has not spent. */
  left: number
  /** What this instance's newest request took beyond its need: its part of `held`. */
  lent: number
  /** What all instances hold beyond need according to the newest answer; undefined before the first. */
  held: number | undefined
  /** Admitted without a query; added to the row with the next one. */
  debt: number
  /** Admitted by this instance. */
  here: number
  /** The lowest Remaining that a response has shown. */
  shown: number
}

export interface CountRequest {
  /** Requests that wait for the answer. */
  waiting: number
  debt: number
  /** Taken beyond need, to be spent without a query. */
  extra: number
  /** Change of what all instances hold: what is taken now minus what was taken before, which is spent. */
  heldChange: number
}

/** The row after the request was added. */
export interface Answer {
  minute: number
  used: number
  held: number
  /** What the row gave beyond need: all of the request or none. */
  given: number
}

export function openAccount(minute: number, limit: number): Account {
  return { minute, used: 0, left: 0, lent: 0, held: undefined, debt: 0, here: 0, shown: limit }
}

/** Admits or refuses by the local counts; `query` when they do not suffice. The first `free` ones of a minute need none. */
export function spend(account: Account, limit: number, free = 0): 'admitted' | 'refused' | 'query' {
  if (account.left > 0) {
    account.left -= 1
    account.here += 1
    return 'admitted'
  }
  if (account.held === undefined && account.debt < Math.min(free, limit)) {
    account.debt += 1
    account.here += 1
    return 'admitted'
  }
  return account.used + account.debt >= limit ? 'refused' : 'query'
}

/** Counts a request without a query: against what is left, otherwise as debt. */
export function owe(account: Account, limit: number): void {
  if (account.left > 0) account.left -= 1
  // What is beyond the limit changes nothing, and a flood must not grow a number without bound.
  else account.debt = Math.min(account.debt + 1, limit)
}

/**
 * The next request to the row. `lease` is how much all instances together may hold beyond need: each takes its part of what the
 * others leave. The first request of a minute takes nothing, because what others hold (dead ones included) is not known yet.
 */
export function createRequest(account: Account, waiting: number, lease: number, instances: number): CountRequest {
  const ofOthers = account.held === undefined ? lease : Math.max(0, account.held - account.lent)
  const extra = Math.floor(Math.max(0, lease - ofOthers) / instances)
  return { waiting, debt: account.debt, extra, heldChange: extra - account.lent }
}

/** Applies the answer; afterwards `spend` decides for those who waited. */
export function settle(account: Account, request: CountRequest, answer: Answer, limit: number): void {
  const given = request.waiting + answer.given
  const usedBefore = answer.used - given - request.debt
  if (answer.minute !== account.minute) Object.assign(account, openAccount(answer.minute, limit), { debt: request.debt })
  // The row may have lost counts in a crash of the database. The next request restores them from `account`.
  const before = Math.max(usedBefore, account.used)
  account.left += Math.min(Math.max(0, limit - before - account.debt), given)
  account.debt += before - usedBefore - request.debt
  account.used = usedBefore + request.debt + given
  account.lent = answer.given
  account.held = Math.max(0, answer.held)
}

/** Admits against this instance's own share of the limit while the database is unreachable. */
export function spendShare(account: Account, limit: number, share: number): 'admitted' | 'refused' {
  if (account.here >= share || account.used + account.debt >= limit) return 'refused'
  account.here += 1
  account.debt += 1
  // The others admit their shares too.
  account.shown = Math.min(account.shown, share - account.here)
  return 'admitted'
}

/** What is left of the limit. Never negative, and never more than an earlier response of this minute has shown. */
export function show(account: Account, limit: number): number {
  account.shown = peek(account, limit)
  return account.shown
}

/** The same without recording it as shown. */
export function peek(account: Account, limit: number): number {
  return Math.min(account.shown, Math.max(0, limit - account.used - account.debt) + account.left)
}
