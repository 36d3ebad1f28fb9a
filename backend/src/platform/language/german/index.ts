import { CHECK_FACTS, CHECK_PARTS, CHECKS } from './checks.ts'
import { DELIVERIES } from './deliveries.ts'
import { HOSTS } from './hosts.ts'
import { CHANGES, INCIDENTS } from './incidents.ts'
import { MAIL_PARTS, MAILS } from './mails.ts'
import { PAGE_PARTS, PAGES } from './pages.ts'
import { REPORT_PARTS, REPORTS } from './reports.ts'

/**
 * The German of every sentence that the server makes, by the English one, which is what is stored. `{name}` stands for a text of others,
 * `{#n}` for a number, with a comma in German, and `{~part}` for a sentence of this table or of GERMAN_PARTS.
 */
export const GERMAN: Readonly<Record<string, string>> = {
  ...HOSTS,
  ...INCIDENTS,
  ...CHANGES,
  ...CHECKS,
  ...CHECK_FACTS,
  ...MAILS,
  ...PAGES,
  ...DELIVERIES,
  ...REPORTS,
}

/** What is translated within a sentence only. */
export const GERMAN_PARTS: Readonly<Record<string, string>> = { ...CHECK_PARTS, ...MAIL_PARTS, ...PAGE_PARTS, ...REPORT_PARTS }
