import { MAX_NAME_LENGTH, POST_IMPACTS } from '@vedette/shared/tables'
import { CheckList, SelectField, TextField } from '../../components/field.tsx'
import type { FormState } from '../../lib/use-form.ts'
import { statusPages } from '../../messages/status-pages.ts'
import type { PostInput } from './post-input.ts'
import type { Component } from './queries.ts'

const text = statusPages.posts

interface Props {
  form: FormState<PostInput>
  /** What is on the page. */
  components: readonly Component[]
}

/** Impact, affected components and times: what may be changed later without an update. */
export function PostFields({ form: { input, change, field }, components }: Props) {
  const isMaintenance = input.type === 'maintenance'
  return (
    <>
      <SelectField label={text.impact} {...field('impact')} className="max-w-sm">
        <option value="">{text.derived}</option>
        {POST_IMPACTS.map((impact) => (
          <option key={impact} value={impact}>
            {text.impacts[impact]}
          </option>
        ))}
      </SelectField>
      {components.length > 0 && (
        <div>
          <CheckList
            label={text.affected}
            options={components.map(({ id, name }) => ({ value: id, label: name }))}
            chosen={input.monitors}
            error={field('monitors').error}
            onChange={(monitors) => change({ monitors })}
          />
          <p className="mt-1 text-[0.9rem] text-muted">{text.affectedHint}</p>
        </div>
      )}
      <div className="grid gap-4 sm:grid-cols-2">
        <TextField
          label={isMaintenance ? text.starts : text.began}
          hint={isMaintenance ? text.times(input.zone) : `${text.beganHint} ${text.times(input.zone)}`}
          type="datetime-local"
          {...field('starts', 'starts_at')}
        />
        {isMaintenance && <TextField label={text.ends} type="datetime-local" {...field('ends', 'ends_at')} />}
      </div>
    </>
  )
}

export function PostTitle({ form: { field } }: Pick<Props, 'form'>) {
  return <TextField label={text.subject} maxLength={MAX_NAME_LENGTH} {...field('title')} />
}
