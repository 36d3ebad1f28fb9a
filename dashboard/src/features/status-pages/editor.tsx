import { MAX_NAME_LENGTH, PAGE_LANGUAGES, PAGE_THEMES, PAGE_VISIBILITIES } from '@vedette/shared/tables'
import { useParams } from '@tanstack/react-router'
import { useState } from 'react'
import { ConflictNotice, LeaveGuard } from '../../components/edit-notices.tsx'
import type { EditorProps } from '../../components/editor-pages.tsx'
import { CheckField, SelectField, TextField } from '../../components/field.tsx'
import { Form } from '../../components/form.tsx'
import { Panel } from '../../components/page.tsx'
import { Segmented } from '../../components/segmented.tsx'
import { fieldErrors } from '../../lib/errors.ts'
import { useMedia } from '../../lib/use-media.ts'
import { type FormState, useForm } from '../../lib/use-form.ts'
import { statusPages } from '../../messages/status-pages.ts'
import { missingPassword, type PageInput, toPageBody, withProposals } from './input.ts'
import { LivePreview } from './live-preview.tsx'
import { LogoField } from './logo-field.tsx'
import { SectionFields } from './section-fields.tsx'
import { TemplateFields } from './template-fields.tsx'
import { TextArea } from '../../components/text-area.tsx'
import { ZoneField } from '../../components/zone-field.tsx'

const text = statusPages
const VIEWS = [
  { value: 'edit', label: text.edit },
  { value: 'preview', label: text.preview },
] as const
/** What the colour field begins with: the accent of the dashboard. */
const FIRST_ACCENT = '#2563eb'

export function PageEditor({ input: initial, action, onSave, isNew = false, saved, conflict }: EditorProps<PageInput>) {
  const form = useForm(initial, onSave, { saved, schema: ['CreateStatusPageBody', toPageBody], missing: missingPassword })
  const { input, change, field } = form
  const errors = fieldErrors(form.error)
  const { pageId } = useParams({ strict: false })
  const isWide = useMedia('(min-width: 80rem)')
  const [view, setView] = useState<'edit' | 'preview'>('edit')
  const type = (typed: { name: string } | { title: string }) => change(isNew ? withProposals(input, typed) : typed)
  return (
    <>
      <ConflictNotice conflict={conflict} onTake={change} />
      {!isWide && (
        <div className="mb-4">
          <Segmented label={text.views} options={VIEWS} value={view} onChoose={setView} />
        </div>
      )}
      <div className="grid items-start gap-6 xl:grid-cols-2">
        <Form form={form} action={action} className={`max-w-3xl ${isWide || view === 'edit' ? '' : 'hidden'}`}>
          <LeaveGuard isDirty={form.isDirty} isSaving={form.isBusy} />
          <Panel>
            <div className="grid gap-4 pt-1 sm:grid-cols-2">
              <TextField
                label={text.name}
                hint={text.nameHint}
                maxLength={MAX_NAME_LENGTH}
                {...field('name')}
                onChange={({ target }) => type({ name: target.value })}
              />
              <TextField
                label={text.pageTitle}
                maxLength={MAX_NAME_LENGTH}
                {...field('title')}
                onChange={({ target }) => type({ title: target.value })}
              />
              <TextField
                label={text.slug}
                hint={text.slugHint(`/status/${input.slug || '…'}`)}
                spellCheck={false}
                autoCapitalize="none"
                maxLength={63}
                {...field('slug')}
              />
              <SelectField label={text.language} {...field('language')}>
                {PAGE_LANGUAGES.map((language) => (
                  <option key={language} value={language}>
                    {text.languages[language]}
                  </option>
                ))}
              </SelectField>
              <div className="sm:col-span-2">
                <TextArea
                  label={text.description}
                  hint={text.descriptionHint}
                  maxLength={1_000}
                  rows={3}
                  {...field('description')}
                />
              </div>
              <ZoneField label={text.zone} {...field('zone', 'time_zone')} />
            </div>
          </Panel>
          <SectionFields sections={input.sections} errors={errors} onChange={(sections) => change({ sections })} />
          <Access form={form} />
          <Appearance form={form} />
          <TemplateFields templates={input.templates} errors={errors} onChange={(templates) => change({ templates })} />
        </Form>
        {(isWide || view === 'preview') && (
          <div className="h-[36rem] xl:sticky xl:top-16 xl:h-[calc(100dvh-6rem)]">
            <LivePreview input={input} pageId={pageId} />
          </div>
        )}
      </div>
    </>
  )
}

function Access({ form: { input, change, field } }: { form: FormState<PageInput> }) {
  const { access } = text
  return (
    <Panel title={access.title}>
      <div className="grid gap-4 pt-1 sm:grid-cols-2">
        <SelectField
          label={access.visibility}
          hint={input.visibility === 'link' ? access.linkHint : undefined}
          {...field('visibility')}
        >
          {PAGE_VISIBILITIES.map((visibility) => (
            <option key={visibility} value={visibility}>
              {access.kinds[visibility]}
            </option>
          ))}
        </SelectField>
        {input.visibility === 'password' && (
          <TextField
            label={access.password}
            hint={input.hasPassword ? access.passwordKept : access.passwordHint}
            type="password"
            autoComplete="new-password"
            {...field('password')}
          />
        )}
        <TextField
          label={access.domain}
          hint={access.domainHint}
          spellCheck={false}
          autoCapitalize="none"
          className="sm:col-start-1"
          {...field('domain')}
        />
        {input.visibility === 'public' && (
          <div className="self-center">
            <CheckField
              label={access.indexed}
              checked={input.indexed}
              onChange={({ target }) => change({ indexed: target.checked })}
            />
          </div>
        )}
      </div>
    </Panel>
  )
}

function Appearance({ form: { input, change, field } }: { form: FormState<PageInput> }) {
  return (
    <Panel title={text.appearance}>
      <div className="grid gap-4 pt-1 sm:grid-cols-2">
        <SelectField label={text.theme} {...field('theme')}>
          {PAGE_THEMES.map((theme) => (
            <option key={theme} value={theme}>
              {text.themes[theme]}
            </option>
          ))}
        </SelectField>
        <div className="grid content-start gap-2">
          <CheckField
            label={text.ownAccent}
            checked={input.accent !== ''}
            onChange={({ target }) => change({ accent: target.checked ? FIRST_ACCENT : '' })}
          />
          {input.accent !== '' && <TextField label={text.accent} type="color" className="max-w-24" {...field('accent')} />}
        </div>
        <LogoField logo={input.logo} error={field('logo').error} onChange={(logo) => change({ logo })} />
      </div>
    </Panel>
  )
}
