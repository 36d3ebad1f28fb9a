import { createTables } from './create-tables.ts'

const ofRules = ['add column description text', 'add column runbook_url text']
const ofTargets = [...ofRules, 'add column responsible text', "add column links jsonb not null default '[]'"]

/** What people say about rules, monitors and servers, for those who read that something is wrong with them. */
export const descriptions = createTables([
  `alter table alert_rule ${ofRules.join(', ')}`,
  `alter table monitor ${ofTargets.join(', ')}`,
  `alter table server ${ofTargets.join(', ')}`,
])
