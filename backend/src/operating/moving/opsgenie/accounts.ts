import { type Json, listOf, objectOf, partOf, textOf } from '../json.ts'
import type { People } from '../model.ts'

/** Users and teams of an Opsgenie account, and who of them is a member here. All pure. */
export interface Accounts {
  /** The e-mail of a user that something names by id or user name. */
  emailOf(user: Json): string
  /** Undefined: is no member here. */
  memberOf(user: Json): string | undefined
  /** The members of a team; undefined: the files do not have it. */
  team(named: Json): Json[] | undefined
  /** Where alerts of a team go by default. */
  routeOf(named: Json): Json | undefined
}

export function readAccounts(users: readonly unknown[], teams: readonly unknown[], people: People): Accounts {
  const emails = new Map(
    users.map((one) => {
      const user = partOf(one, 'user')
      return [textOf(user['id']), textOf(user['username'])]
    }),
  )
  const byKey = new Map<string, Json>()
  for (const one of teams) {
    const team = partOf(one, 'team')
    for (const key of [team['id'], team['name']]) if (textOf(key) !== '') byKey.set(textOf(key), objectOf(one))
  }
  const find = (named: Json) => byKey.get(textOf(named['id'])) ?? byKey.get(textOf(named['name']))
  const emailOf = (user: Json) => (textOf(user['username']) || (emails.get(textOf(user['id'])) ?? '')).trim()
  return {
    emailOf,
    memberOf: (user) => people.idOf(emailOf(user)),
    team: (named) => {
      const found = find(named)
      return found && listOf(partOf(found, 'team')['members'])
    },
    routeOf: (named) => {
      const rules = listOf(objectOf(find(named))['teamRoutingRules'])
      const usual = rules.find((rule) => rule['isDefault'] === true) ?? rules.at(-1)
      return usual && objectOf(usual['notify'])
    },
  }
}
