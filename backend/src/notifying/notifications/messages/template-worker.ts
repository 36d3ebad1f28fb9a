/** The thread that renders templates. */
import { answerQuestions } from '../../../platform/concurrency/answering-thread.ts'
import { renderBounded } from './template-engine.ts'

// The first rendering compiles the library, which is not the work of a template.
renderBounded({
  template: '{% for line in lines %}{{ line | upcase | json }}{% endfor %}',
  values: { lines: ['a'] },
  maxLength: 100,
})
answerQuestions(renderBounded)
