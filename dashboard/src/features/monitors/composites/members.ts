import { isWatched } from '@vedette/shared/tables'
import type { CompositeMemberState } from '@vedette/shared'

const ORDER = ['down', 'degraded', 'outside', 'up']

/** What the page shows of a member: why nothing is known of it, or its status. */
export const shownState = ({ status, outside }: Pick<CompositeMemberState, 'status' | 'outside'>): string =>
  outside !== null && !isWatched(outside) ? outside : outside === 'not_checked' ? 'pending' : status

const rankOf = ({ status, outside }: CompositeMemberState): number => ORDER.indexOf(outside === null ? status : 'outside')

/** Those that make it worse first, then those that do not count, then by name. */
export const worstFirst = (members: readonly CompositeMemberState[]): CompositeMemberState[] =>
  members.toSorted((one, other) => rankOf(one) - rankOf(other) || one.name.localeCompare(other.name))
