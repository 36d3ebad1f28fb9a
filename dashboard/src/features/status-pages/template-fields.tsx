import { MAX_NAME_LENGTH, MAX_POST_TEXT, MAX_TEMPLATES, POST_IMPACTS, type PostImpact } from '@vedette/shared/tables'
import { Button, IconButton } from '../../components/button.tsx'
import { SelectField, TextField } from '../../components/field.tsx'
import { Plus, X } from '../../components/icons.tsx'
import { FoldedPanel } from '../../components/page.tsx'
import { statusPages } from '../../messages/status-pages.ts'
import { newTemplate, type TemplateInput } from './input.ts'
import { TextArea } from '../../components/text-area.tsx'

const text = statusPages.templates
const { derived, impacts } = statusPages.posts

interface Props {
  templates: readonly TemplateInput[]
  /** By path, as `templates.0.name`. */
  errors: Readonly<Record<string, string>>
  onChange: (templates: readonly TemplateInput[]) => void
}

export function TemplateFields({ templates, errors, onChange }: Props) {
  const hasFault = Object.keys(errors).some((path) => path.startsWith('templates'))
  const change = (index: number, part: Partial<TemplateInput>) =>
    onChange(templates.map((one, at) => (at === index ? { ...one, ...part } : one)))
  return (
    <FoldedPanel title={text.title} isFilled={templates.length > 0} hasFault={hasFault}>
      <div className="grid gap-4">
        {templates.map((template, index) => {
          const [number, path] = [index + 1, `templates.${index}`]
          return (
            <fieldset key={template.key} className="grid min-w-0 gap-3 rounded-lg border border-line p-3">
              <legend className="px-1 font-semibold">{text.one(number)}</legend>
              <div className="flex items-start gap-1">
                <TextField
                  label={text.name(number)}
                  maxLength={MAX_NAME_LENGTH}
                  value={template.name}
                  error={errors[`${path}.name`]}
                  onChange={({ target }) => change(index, { name: target.value })}
                  className="min-w-0 flex-1"
                />
                <div className="pt-6">
                  <IconButton label={text.remove(number)} onClick={() => onChange(templates.filter((_, at) => at !== index))}>
                    <X size={16} />
                  </IconButton>
                </div>
              </div>
              <TextField
                label={text.subject(number)}
                maxLength={MAX_NAME_LENGTH}
                value={template.title}
                error={errors[`${path}.title`]}
                onChange={({ target }) => change(index, { title: target.value })}
              />
              <TextArea
                label={text.text(number)}
                maxLength={MAX_POST_TEXT}
                value={template.text}
                error={errors[`${path}.text`]}
                onChange={({ target }) => change(index, { text: target.value })}
              />
              <SelectField
                label={text.impact(number)}
                value={template.impact}
                onChange={({ target }) => change(index, { impact: target.value as PostImpact | '' })}
                className="max-w-sm"
              >
                <option value="">{derived}</option>
                {POST_IMPACTS.map((impact) => (
                  <option key={impact} value={impact}>
                    {impacts[impact]}
                  </option>
                ))}
              </SelectField>
            </fieldset>
          )
        })}
        {templates.length < MAX_TEMPLATES && (
          <Button small className="justify-self-start" onClick={() => onChange([...templates, newTemplate()])}>
            <Plus size={14} aria-hidden="true" />
            {text.add}
          </Button>
        )}
      </div>
    </FoldedPanel>
  )
}
