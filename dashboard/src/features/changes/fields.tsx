import type { Difference } from '@vedette/shared'
import { Table } from '../../components/table.tsx'
import { changes } from '../../messages/changes.ts'
import { fieldName, valueText } from './steps.ts'

const text = changes.one

const Value = ({ of }: { of: unknown }) => <span className="whitespace-pre-wrap [overflow-wrap:anywhere]">{valueText(of)}</span>

/** Before and after of each field. `label`: what they belong to. */
export function Fields({ label, fields }: { label: string; fields: readonly Difference[] }) {
  return (
    <Table
      label={label}
      rows={fields}
      keyOf={({ path }) => path}
      columns={[
        {
          head: text.field,
          isText: true,
          cell: ({ path }) => <code className="[overflow-wrap:anywhere]">{fieldName(path)}</code>,
        },
        { head: text.before, isText: true, cell: ({ from }) => <Value of={from} /> },
        { head: text.after, isText: true, cell: ({ to }) => <Value of={to} /> },
      ]}
    />
  )
}
