import { DESCRIPTION } from '@vedette/shared/tables'
import { useId } from 'react'
import { type DocumentationInput, isDocumentationPath } from '../lib/documentation.ts'
import { newKey, withPart, without } from '../lib/rows.ts'
import { documentation as text } from '../messages/documentation.ts'
import { Button, IconButton } from './button.tsx'
import { FieldError, TextField } from './field.tsx'
import { Plus, X } from './icons.tsx'
import { FoldedPanel } from './page.tsx'
import { TextArea } from './text-area.tsx'

interface Props {
  documentation: DocumentationInput
  /** By path of the API. */
  errors: Readonly<Record<string, string>>
  /** Rules have no more than a description and a runbook. */
  isOfRule?: boolean
  onChange: (documentation: DocumentationInput) => void
}

/** What people say about a monitor, a server or a rule: folded while it is empty. */
export default function DocumentationFields({ documentation, errors, isOfRule = false, onChange }: Props) {
  const { description, runbookUrl, responsible, links } = documentation
  const change = (part: Partial<DocumentationInput>) => onChange({ ...documentation, ...part })
  return (
    <FoldedPanel
      title={text.title}
      isFilled={description !== '' || runbookUrl !== '' || responsible !== '' || links.length > 0}
      hasFault={Object.keys(errors).some(isDocumentationPath)}
    >
      <div className="grid gap-4">
        <TextArea
          label={text.description}
          hint={text.descriptionHint}
          maxLength={DESCRIPTION.length}
          value={description}
          error={errors['description']}
          onChange={(event) => change({ description: event.target.value })}
        />
        <TextField
          label={text.runbook}
          hint={text.runbookHint}
          type="url"
          maxLength={DESCRIPTION.urlLength}
          value={runbookUrl}
          error={errors['runbook_url']}
          onChange={(event) => change({ runbookUrl: event.target.value })}
        />
        {!isOfRule && (
          <>
            <TextField
              label={text.responsible}
              hint={text.responsibleHint}
              maxLength={DESCRIPTION.responsibleLength}
              value={responsible}
              error={errors['responsible']}
              onChange={(event) => change({ responsible: event.target.value })}
            />
            <LinkRows links={links} errors={errors} onChange={(rows) => change({ links: rows })} />
          </>
        )}
      </div>
    </FoldedPanel>
  )
}

interface RowsProps extends Pick<Props, 'errors'> {
  links: DocumentationInput['links']
  onChange: (links: DocumentationInput['links']) => void
}

function LinkRows({ links, errors, onChange }: RowsProps) {
  const id = useId()
  return (
    <fieldset className="grid gap-2">
      <legend className="mb-1 font-semibold text-[0.95rem]">{text.links}</legend>
      {links.map(({ key, name, url }, index) => {
        const error = errors[`links.${index}.name`] ?? errors[`links.${index}.url`] ?? errors[`links.${index}`]
        const aria = error === undefined ? {} : { 'aria-invalid': true as const, 'aria-describedby': `${id}-${key}` }
        return (
          <div key={key}>
            <div className="flex items-center gap-2">
              <input
                aria-label={text.linkName}
                {...aria}
                maxLength={DESCRIPTION.linkNameLength}
                value={name}
                onChange={(event) => onChange(withPart(links, index, { name: event.target.value }))}
                className="field w-2/5"
              />
              <input
                aria-label={text.linkUrl}
                {...aria}
                type="url"
                maxLength={DESCRIPTION.urlLength}
                value={url}
                onChange={(event) => onChange(withPart(links, index, { url: event.target.value }))}
                className="field flex-1"
              />
              <IconButton label={text.removeLink} onClick={() => onChange(without(links, index))}>
                <X size={16} />
              </IconButton>
            </div>
            <FieldError id={`${id}-${key}`} error={error} />
          </div>
        )
      })}
      <FieldError id={id} error={errors['links']} />
      {links.length < DESCRIPTION.links && (
        <Button
          small
          className="justify-self-start"
          onClick={() => onChange([...links, { key: newKey(), name: '', url: 'https://' }])}
        >
          <Plus size={14} aria-hidden="true" />
          {text.addLink}
        </Button>
      )}
    </fieldset>
  )
}
