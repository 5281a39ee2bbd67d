// The candidate's host side: built, linked with what it needs, loaded and asked what it registers.
#pragma once
#include <string>
#include <vector>

#include "judge/session/state.h"

namespace akgen::judge {

class HostSide {
 public:
  explicit HostSide(SessionState& state) : state_(state) {}

  // Of the build, as the project is now; "" where there is nothing to build.
  std::string Key(const std::string& dir);
  // Of the state's project. Fills the state's members of the host side; false: the judgement says
  // what is wrong.
  bool Build();
  // Symbols that sources for other chips define are open; nothing has called one yet.
  bool others_left_out() const { return others_left_out_; }
  // Links them after all, as Build.
  bool AddOtherChips() { return LinkOtherChips() && ReadDefinition(); }
  // A symbol that nothing defines, and what kept its source from compiling; "": none.
  const std::string& not_built() const { return not_built_; }
  bool LibrariesLackApi() const;

 private:
  bool RequestFor(toolchain::BuildRequest& request);
  bool DoesNotBuild(const toolchain::BuildReply& reply);
  bool AddLibraries();
  bool LeaveOtherChipsOut();
  bool LinkOtherChips();
  base::Result<toolchain::BuildReply> BuildSources();
  bool Load();
  bool ReadDefinition();
  void TakeBuildOptions();

  SessionState& state_;
  toolchain::BuildRequest request_;
  std::vector<toolchain::BuildReply> libraries_;
  bool others_left_out_ = false;
  std::string not_built_;
};

}  // namespace akgen::judge
