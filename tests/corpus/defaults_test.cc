// What options are where nobody says anything, and that results begin with nothing.
#include <gtest/gtest.h>

#include "corpus/compose/composition.h"
#include "corpus/export/columns.h"
#include "corpus/export/pairs.h"
#include "corpus/export/shipping.h"
#include "corpus/export/tries.h"
#include "corpus/mistakes/errors.h"
#include "corpus/records/card.h"
#include "corpus/records/corpus_record.h"
#include "corpus/records/stage.h"
#include "corpus/records/synthetic.h"
#include "corpus/records/task_records.h"
#include "corpus/teach/teaching.h"
#include "corpus/teach/units.h"

namespace akgen::corpus {
namespace {
TEST(CorpusDefaults, ComposeComposition) {
  EXPECT_EQ(double(Extents().b), 1);
  EXPECT_EQ(double(Extents().a), 1);
  EXPECT_EQ(double(Extents().r), 1);
  EXPECT_EQ(double(Extents().c), 1);
  EXPECT_EQ(double(Extents().column), 0);
  EXPECT_EQ(double(Extents().tensors), 1);
  EXPECT_EQ(double(Extents().turn), 0);
  EXPECT_EQ(double(Extents().number), 0);
  EXPECT_EQ(CompositionInput().low, -2);
  EXPECT_EQ(double(CompositionInput().high), 2);
  EXPECT_FALSE(CompositionInput().single);
  EXPECT_EQ(CompositionInput().without, -1);
  EXPECT_FALSE(CompositionInput().optional);
  EXPECT_FALSE(CompositionInput().missing);
  EXPECT_EQ(CompositionInput().by, -1);
  EXPECT_EQ(CompositionAttr().by, -1);
  EXPECT_EQ(CompositionNode().by, -1);
  EXPECT_EQ(double(Composition().seed), 0);
  EXPECT_EQ(double(Composition().index), 0);
  EXPECT_FALSE(Composition().lists);
  EXPECT_FALSE(Composition().over);
  EXPECT_EQ(double(Composition().depth), 0);
}
TEST(CorpusDefaults, ExportColumns) {
  EXPECT_EQ(double(Outcome().sample), 0);
  EXPECT_EQ(double(Outcome().turn), 0);
  EXPECT_EQ(double(Outcome().modelled_us), 0);
}
TEST(CorpusDefaults, ExportPairs) {
  EXPECT_EQ(double(PairOptions().per_task), 64);
  EXPECT_EQ(double(Pair().margin), 0);
}
TEST(CorpusDefaults, ExportShipping) {
  EXPECT_FALSE(ShippingOptions().keep_others);
  EXPECT_EQ(double(Shipped().samples), 0);
  EXPECT_EQ(double(Shipped().preferences), 0);
  EXPECT_EQ(double(Shipped().general), 0);
  EXPECT_EQ(double(Shipped().general_skipped), 0);
}
TEST(CorpusDefaults, ExportTries) {
  EXPECT_FALSE(Try().sealed);
  EXPECT_EQ(double(Try().sample), 0);
  EXPECT_EQ(double(Try().turn), 0);
}
TEST(CorpusDefaults, MistakesErrors) {
  EXPECT_EQ(double(ErrorOptions().count), 3000);
  EXPECT_EQ(double(ErrorOptions().seed), 1);
  EXPECT_EQ(double(ErrorOptions().per_kernel), 16);
  EXPECT_EQ(double(ErrorOptions().per_program), 4);
  EXPECT_EQ(double(ErrorOptions().per_class), 600);
  EXPECT_EQ(double(ErrorOptions().per_build), 4);
  EXPECT_EQ(double(ErrorOptions().by_hand), 2);
  EXPECT_EQ(double(ErrorsBuilt().records), 0);
  EXPECT_EQ(double(ErrorsBuilt().kernels), 0);
  EXPECT_EQ(double(ErrorsBuilt().by_hand), 0);
  EXPECT_EQ(double(ErrorsBuilt().mutants), 0);
  EXPECT_EQ(double(ErrorsBuilt().programs), 0);
  EXPECT_EQ(double(ErrorsBuilt().harmless), 0);
  EXPECT_EQ(double(ErrorsBuilt().not_run), 0);
  EXPECT_EQ(double(ErrorsBuilt().more_than_wanted), 0);
  EXPECT_EQ(double(ErrorsBuilt().diagnostics), 0);
  EXPECT_EQ(double(ErrorsBuilt().seconds), 0);
}
TEST(CorpusDefaults, RecordsCard) {
  EXPECT_EQ(double(Lengths().sum), 0);
  EXPECT_EQ(double(Lengths().most), 0);
  EXPECT_EQ(double(DataCard().records), 0);
  EXPECT_EQ(double(DataCard().verified), 0);
  EXPECT_EQ(double(DataCard().others), 0);
  EXPECT_EQ(double(DataCard().distinct_graphs), 0);
  EXPECT_EQ(double(DataCard().duplicates_removed), 0);
  EXPECT_EQ(double(DataCard().benchmark_overlap), 0);
  EXPECT_EQ(double(DataCard().matches_removed), 0);
  EXPECT_EQ(double(DataCard().benchmark_tasks), 0);
}
TEST(CorpusDefaults, RecordsCorpusRecord) {
  EXPECT_EQ(double(CorpusFinding().line), 0);
  EXPECT_FALSE(CorpusRecord().others_kernel);
}
TEST(CorpusDefaults, RecordsStage) { EXPECT_EQ(double(StageState().seconds), 0); }
TEST(CorpusDefaults, RecordsSynthetic) {
  EXPECT_EQ(double(SyntheticOptions().count), 1000);
  EXPECT_EQ(double(SyntheticOptions().seed), 1);
  EXPECT_EQ(double(SyntheticOptions().per_build), 48);
  EXPECT_EQ(double(SyntheticOptions().workers), 0);
  EXPECT_EQ(double(SyntheticBuilt().records), 0);
  EXPECT_EQ(double(SyntheticBuilt().verified), 0);
  EXPECT_EQ(double(SyntheticBuilt().tried), 0);
  EXPECT_EQ(double(SyntheticBuilt().refused), 0);
  EXPECT_EQ(double(SyntheticBuilt().failed), 0);
  EXPECT_EQ(double(SyntheticBuilt().duplicates_removed), 0);
  EXPECT_EQ(double(SyntheticBuilt().near_duplicates_removed), 0);
  EXPECT_EQ(double(SyntheticBuilt().benchmark_removed), 0);
  EXPECT_EQ(double(SyntheticBuilt().seconds), 0);
}
TEST(CorpusDefaults, RecordsTaskRecords) {
  EXPECT_EQ(double(TaskRecordOptions().cases), 3);
  EXPECT_EQ(double(TaskRecordsBuilt().records), 0);
  EXPECT_EQ(double(TaskRecordsBuilt().heldout), 0);
  EXPECT_EQ(double(TaskRecordsBuilt().like_heldout), 0);
  EXPECT_EQ(double(TaskRecordsBuilt().refused), 0);
  EXPECT_EQ(double(TaskRecordsBuilt().failed), 0);
}
TEST(CorpusDefaults, TeachTeaching) {
  EXPECT_EQ(double(TeachOptions().seed), 1);
  EXPECT_EQ(double(TeachOptions().concurrency), 4);
  EXPECT_FALSE(TeachOptions().own);
  EXPECT_EQ(double(OtherFiles().files), 0);
  EXPECT_EQ(double(OtherFiles().repaired), 0);
  EXPECT_EQ(double(FoldersRead().files), 0);
  EXPECT_EQ(double(Taught().questions), 0);
  EXPECT_EQ(double(Taught().left), 0);
  EXPECT_EQ(double(Taught().records), 0);
  EXPECT_EQ(double(Taught().objected), 0);
  EXPECT_EQ(double(Taught().answers_unusable), 0);
  EXPECT_EQ(double(Taught().duplicates_removed), 0);
}
TEST(CorpusDefaults, TeachUnits) {
  EXPECT_FALSE(TextRead().repaired);
  EXPECT_EQ(double(Unit().line), 1);
}
}  // namespace
}  // namespace akgen::corpus
