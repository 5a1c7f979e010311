#include "runtime/common/base/TextUtils.h"

#include <gtest/gtest.h>

namespace graphc::base {
namespace {

TEST(ForeignText, ShowsWhatItIsAndNothingElse) {
  EXPECT_EQ(foreignText("file \"größe 漢字 🙂\".npy"), "file \"größe 漢字 🙂\".npy");
  EXPECT_EQ(foreignText("\x1b]0;title\a\x1b[2J\r\n\tx\x7f"),
            R"(\x1b]0;title\x07\x1b[2J\x0d\n\x09x\x7f)");
  EXPECT_EQ(foreignText(std::string_view("a\0b", 3)), R"(a\x00b)");
  EXPECT_EQ(foreignText("\xc2\x9b"
                        "2J"),
            R"(\xc2\x9b2J)")
      << "a control of Unicode's upper half";
  EXPECT_EQ(foreignText("\x9b"
                        "2J \xc0\x9b \xed\xa0\x80 \xf5\x80\x80\x80 \xe2\x82"),
            R"(\x9b2J \xc0\x9b \xed\xa0\x80 \xf5\x80\x80\x80 \xe2\x82)")
      << "no UTF-8";
  EXPECT_EQ(foreignText("\u202e"
                        "exe\u2066.\u2028"),
            R"(\xe2\x80\xaeexe\xe2\x81\xa6.\xe2\x80\xa8)")
      << "text that turns around";
  EXPECT_EQ(foreignText(""), "");
}

TEST(ForeignText, IsBounded) {
  std::string much(8 << 20, 'x');
  EXPECT_EQ(foreignText(much), std::string(kMostForeignText, 'x') + "… (8388608 bytes in all)");
  EXPECT_LT(foreignText(std::string(8 << 20, '\x1b')).size(), 4 * kMostForeignText + 100);
  EXPECT_EQ(foreignText("äöü", 3), "äö… (6 bytes in all)") << "no half of a character";
}

TEST(ForeignStatus, HasACodeThatThereIs) {
  EXPECT_EQ(foreignStatus(9, "a\x1b").code(), absl::StatusCode::kFailedPrecondition);
  EXPECT_EQ(foreignStatus(9, "a\x1b").message(), "a\\x1b");
  for (int code : {0, -1, 17, 1 << 30})
    EXPECT_EQ(foreignStatus(code, "x").code(), absl::StatusCode::kUnknown) << code;
}

} // namespace
} // namespace graphc::base
