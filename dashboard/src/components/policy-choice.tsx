import { useQuery } from '@tanstack/react-query'
import type { ChangeEventHandler } from 'react'
import { useViewer } from '../lib/api.ts'
import { policiesQuery } from '../lib/policy-queries.ts'
import { onCall as text } from '../messages/on-call.ts'
import { SelectField } from './field.tsx'

interface Props {
  /** Id of the policy; empty: none. */
  value: string
  error: string | undefined
  onChange: ChangeEventHandler<HTMLSelectElement>
}

/** The escalation policy of a rule or an SLO; nothing where the organization has none. */
export function PolicyChoice({ value, ...field }: Props) {
  const { data } = useQuery(policiesQuery(useViewer(), 1))
  const policies = data?.escalation_policies ?? []
  if (policies.length === 0 && value === '') return null
  return (
    <SelectField label={text.policy} hint={text.policyHint} value={value} {...field}>
      <option value="">{text.noPolicy}</option>
      {policies.map(({ id, name }) => (
        <option key={id} value={id}>
          {name}
        </option>
      ))}
      {value !== '' && !policies.some(({ id }) => id === value) && <option value={value}>{value}</option>}
    </SelectField>
  )
}
