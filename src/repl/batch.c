#include "config.h"

#include "repl/batch.h"

int batch_analyze(Face *face, const AnalyzeOptions *options)
{
    Interpreter *interpreter = &face->interpreter;
    Error error = {0};
    Document *out = document_new(&error);
    face_batch_begin(face);
    bool done = out != NULL && analyze_run(interpreter->session, options, &face->progress, out, &error);
    face_batch_end(face);
    if (done) {
        Settings settings = session_settings(interpreter->session);
        RenderOptions render = render_options(&settings);
        render.indent = interpreter->indent;
        done = document_ok(out, &error) &&
               document_render(out, &render, &interpreter->sink, &face->progress, &error);
    }
    if (!done) {
        face_failed(face, "analyze", &error);
    }
    document_free(out);
    return face_status(face, done);
}
