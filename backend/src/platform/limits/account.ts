/**
 * What one instance knows of one credential in one group and minute, and the decisions that follow from it. Pure: asking the
 * others is somebody else's work.
 *
 * Never over the limit: a request is admitted only against a count that the shared row has given to this instance, or, while
 * the row cannot be reached, against this instance's share.
 */
export interface Account {
  /** Minutes since the epoch. */
  minute: number
  /** Counted by all instances, as the newest answer told; what was asked beyond the limit included. */
  used: number
  /** Of it, what this instance was given and has not spent. */
  left: number
  /** What this instance's newest ask took beyond its need: its part of `held`. */
  lent: number
  /** What all instances hold beyond need, as the newest answer told; undefined before the first. */
  held: number | undefined
  /** Admitted without asking; counted with the next ask. */
  debt: number
  /** Admitted by this instance. */
  here: number
  /** The lowest Remaining that was told. */
  shown: number
}

export interface Ask {
  /** Requests that wait for the answer. */
  waiting: number
  debt: number
  /** Taken beyond need, to be spent without asking. */
  extra: number
  /** Change of what is held by all: what is taken now less what was taken before, which is spent. */
  heldChange: number
}

/** The row after the ask was added. */
export interface Answer {
  minute: number
  used: number
  held: number
  /** Of what was asked for beyond need: all of it, or none. */
  given: number
}

export function openAccount(minute: number, limit: number): Account {
  return { minute, used: 0, left: 0, lent: 0, held: undefined, debt: 0, here: 0, shown: limit }
}

/** Admits or refuses by what is known; `ask` when only the others know. */
export function spend(account: Account, limit: number): 'admitted' | 'refused' | 'ask' {
  if (account.left > 0) {
    account.left -= 1
    account.here += 1
    return 'admitted'
  }
  return account.used + account.debt >= limit ? 'refused' : 'ask'
}

/** Counts a request without asking: from what is left, else it is owed. */
export function owe(account: Account, limit: number): void {
  if (account.left > 0) account.left -= 1
  // What is beyond the limit changes nothing, and a flood must not grow a number without bound.
  else account.debt = Math.min(account.debt + 1, limit)
}

/**
 * What to ask for. `lease` is how much all instances together may hold beyond need: each takes its part of what the others
 * leave. The first ask of a minute takes nothing, because what others hold (those that died included) is not known yet.
 */
export function askFor(account: Account, waiting: number, lease: number, instances: number): Ask {
  const ofOthers = account.held === undefined ? lease : Math.max(0, account.held - account.lent)
  const extra = Math.floor(Math.max(0, lease - ofOthers) / instances)
  return { waiting, debt: account.debt, extra, heldChange: extra - account.lent }
}

/** Takes the answer in; afterwards `spend` knows what to say to those who waited. */
export function settle(account: Account, ask: Ask, answer: Answer, limit: number): void {
  const given = ask.waiting + answer.given
  const told = answer.used - given - ask.debt
  if (answer.minute !== account.minute) Object.assign(account, openAccount(answer.minute, limit), { debt: ask.debt })
  // Less than was told before: the database lost the count in a crash. We remember, and tell the row with the next ask.
  const before = Math.max(told, account.used)
  account.left += Math.min(Math.max(0, limit - before - account.debt), given)
  account.debt += before - told - ask.debt
  account.used = told + ask.debt + given
  account.lent = answer.given
  account.held = Math.max(0, answer.held)
}

/** Admits against this instance's own share of the limit: while the others cannot be asked. */
export function spendShare(account: Account, limit: number, share: number): 'admitted' | 'refused' {
  if (account.here >= share || account.used + account.debt >= limit) return 'refused'
  account.here += 1
  account.debt += 1
  // The others admit their shares too.
  account.shown = Math.min(account.shown, share - account.here)
  return 'admitted'
}

/** What is left of the limit. Never negative, and never more than was told before in this minute. */
export function show(account: Account, limit: number): number {
  account.shown = peek(account, limit)
  return account.shown
}

/** The same without remembering that it was told. */
export function peek(account: Account, limit: number): number {
  return Math.min(account.shown, Math.max(0, limit - account.used - account.debt) + account.left)
}
